"""Tools of a shop: products, stock, customers, orders and parcels."""

from assay.benchmarks.janus.tools.errors import ToolError
from assay.benchmarks.janus.tools.world import Entry, World, best_matches, entry_with, new_id


def find_product(world: World, query: str) -> list[Entry]:
    found = best_matches(world.products, ("name", "category"), query, most=5)
    return [{key: one[key] for key in ("product_id", "name", "price_eur")} for one in found]


def get_stock(world: World, product_id: str, warehouse: str) -> Entry:
    product = entry_with(world.products, "product_id", product_id)
    place = _warehouse(world, warehouse)
    return {
        "product_id": product["product_id"],
        "warehouse": place["code"],
        "units": place["stock"].get(product["product_id"], 0),
    }


def _warehouse(world: World, code: str) -> Entry:
    codes = [one["code"] for one in world.warehouses]
    for one in world.warehouses:
        if one["code"] == code:
            return one
        if code in one["former_codes"]:
            raise ToolError(f"warehouse {code!r} was closed and its stock moved: ask for {one['code']!r}")
    raise ToolError(f"there is no warehouse {code!r}; there are {', '.join(codes)}")


def find_customer(world: World, email: str) -> Entry:
    return entry_with(world.customers, "email", email)


def list_orders(world: World, customer_id: str) -> list[Entry]:
    entry_with(world.customers, "customer_id", customer_id)
    found = [one for one in world.orders if one["customer_id"] == customer_id]
    return [{key: one[key] for key in ("order_id", "placed_on", "status")} for one in found]


def get_order(world: World, order_id: str) -> Entry:
    return entry_with(world.orders, "order_id", order_id)


def cancel_order(world: World, order_id: str, reason: str) -> Entry:
    order = entry_with(world.orders, "order_id", order_id)
    if order["status"] != "open":
        raise ToolError(
            f"order {order['order_id']} is {order['status']}: only an open order can be cancelled"
        )
    order["status"] = "cancelled"
    return {
        "order_id": order["order_id"],
        "status": order["status"],
        "refund_code": new_id("ref", order["order_id"], reason),
    }


def place_order(world: World, customer_id: str, product_id: str, quantity: int) -> Entry:
    customer = entry_with(world.customers, "customer_id", customer_id)
    product = entry_with(world.products, "product_id", product_id)
    pack = product["sold_in_packs_of"]
    if quantity % pack:
        raise ToolError(
            f"{product['name']} is sold in packs of {pack}: quantity must be a multiple of {pack}"
        )
    order: Entry = {
        "order_id": new_id(
            "ord", customer["customer_id"], product["product_id"], quantity, len(world.orders)
        ),
        "customer_id": customer["customer_id"],
        "product_id": product["product_id"],
        "product": product["name"],
        "quantity": quantity,
        "total_eur": round(quantity * product["price_eur"], 2),
        "status": "open",
        "placed_on": "2026-03-04",
        "tracking_number": None,
    }
    world.orders.append(order)
    return order


def track_parcel(world: World, tracking_number: str) -> Entry:
    return entry_with(world.parcels, "tracking_number", tracking_number)

"""What the carrier's systems do, whoever asks for it."""

import hashlib
from datetime import date, timedelta

from assay.benchmarks.tau2_telecom.accounts import (
    TODAY,
    Bill,
    BillStatus,
    Customer,
    Device,
    Line,
    LineItem,
    Plan,
    TelecomDB,
)

_NEXT_MONTH = date(2025, 3, 1)
_DAYS_TO_PAY = timedelta(days=14)


class Carrier:
    """Raises ValueError for what does not exist; the message goes to whoever called a tool."""

    def __init__(self, db: TelecomDB) -> None:
        self.db = db

    def customer(self, customer_id: str) -> Customer:
        for customer in self.db.customers:
            if customer.customer_id == customer_id:
                return customer
        raise ValueError(f"Customer with ID {customer_id} not found")

    def line(self, line_id: str) -> Line:
        for line in self.db.lines:
            if line.line_id == line_id:
                return line
        raise ValueError(f"Line with ID {line_id} not found")

    def line_of_number(self, phone_number: str) -> Line:
        for line in self.db.lines:
            if line.phone_number == phone_number:
                return line
        raise ValueError(f"Line with phone number {phone_number} not found")

    def line_of_customer(self, customer_id: str, line_id: str) -> Line:
        if line_id not in self.customer(customer_id).line_ids:
            raise ValueError(f"Line {line_id} not found for customer {customer_id}")
        return self.line(line_id)

    def customer_of_number(self, phone_number: str) -> Customer:
        """By the number of the contact or of a line, customer after customer."""
        for customer in self.db.customers:
            if customer.phone_number == phone_number:
                return customer
            if any(self.line(line_id).phone_number == phone_number for line_id in customer.line_ids):
                return customer
        raise ValueError(f"Customer with phone number {phone_number} not found")

    def plan(self, plan_id: str) -> Plan:
        for plan in self.db.plans:
            if plan.plan_id == plan_id:
                return plan
        raise ValueError(f"Plan with ID {plan_id} not found")

    def device(self, device_id: str) -> Device:
        for device in self.db.devices:
            if device.device_id == device_id:
                return device
        raise ValueError(f"Device with ID {device_id} not found")

    def bill(self, bill_id: str) -> Bill:
        for bill in self.db.bills:
            if bill.bill_id == bill_id:
                return bill
        raise ValueError(f"Bill with ID {bill_id} not found")

    def bills(self, customer: Customer, status: BillStatus | None = None) -> list[Bill]:
        found = [self.bill(bill_id) for bill_id in customer.bill_ids]
        return [bill for bill in found if status is None or bill.status == status]

    def charge(self, customer_id: str, amount: float, description: str) -> None:
        """Put an amount on the customer's draft bill, or on a new one for next month."""
        customer = self.customer(customer_id)
        drafts = self.bills(customer, BillStatus.DRAFT)
        bill = drafts[0] if drafts else self._new_draft(customer)
        kind = "Credit" if amount < 0 else "Charge"
        bill.line_items.append(LineItem(description=description, amount=amount, date=TODAY, item_type=kind))
        bill.total_due += amount

    def _new_draft(self, customer: Customer) -> Bill:
        # Random in the official environment; an attempt that is executed again must find the same.
        seed = f"{customer.customer_id} {len(self.db.bills)}"
        bill = Bill(
            bill_id=f"B{hashlib.sha256(seed.encode()).hexdigest()[:8]}",
            customer_id=customer.customer_id,
            period_start=_NEXT_MONTH,
            period_end=date(2025, 3, 31),
            issue_date=_NEXT_MONTH,
            total_due=0,
            due_date=_NEXT_MONTH + _DAYS_TO_PAY,
        )
        self.db.bills.append(bill)
        customer.bill_ids.append(bill.bill_id)
        return bill

    def add_overdue_bill(self, customer: Customer, line: Line, bill_id: str) -> Bill:
        """Last month's bill for a line, which was not paid."""
        amount = self.plan(line.plan_id).price_per_month
        issued = date(2025, 1, 1)
        item = LineItem(
            description=f"Charge for line {line.line_id}", amount=amount, date=TODAY, item_type="Charge"
        )
        bill = Bill(
            bill_id=bill_id,
            customer_id=customer.customer_id,
            period_start=issued,
            period_end=date(2025, 1, 31),
            issue_date=issued,
            total_due=amount,
            due_date=issued + _DAYS_TO_PAY,
            line_items=[item],
            status=BillStatus.OVERDUE,
        )
        self.db.bills.append(bill)
        customer.bill_ids.append(bill_id)
        return bill

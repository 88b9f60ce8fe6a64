"""The thirteen tools of the agent, with the official results."""

from collections.abc import Mapping, Sequence

from assay.benchmarks.tau2_telecom.accounts import TODAY, Bill, BillStatus, Customer, LineStatus, Record
from assay.benchmarks.tau2_telecom.carrier import Carrier

_END_OF_CYCLE = TODAY.replace(day=28)


# Python names the class in messages about missing and unknown arguments, which agents get.
class TelecomTools(Carrier):
    """Arguments are what a model wrote, of whatever type; errors are told to it as Python words them."""

    def get_customer_by_phone(self, phone_number: str) -> Customer:
        return self.customer_of_number(phone_number)

    def get_customer_by_id(self, customer_id: str) -> Customer:
        return self.customer(customer_id)

    def get_customer_by_name(self, full_name: str, dob: str) -> Sequence[Customer]:
        return [
            customer
            for customer in self.db.customers
            if customer.full_name.lower() == full_name.lower() and customer.date_of_birth == dob
        ]

    def get_details_by_id(self, id: str) -> Record:  # noqa: A002 # the name that models give
        found = {"L": self.line, "D": self.device, "B": self.bill, "C": self.customer, "P": self.plan}
        for letter, find in found.items():
            if id.startswith(letter):
                return find(id)
        raise ValueError(f"Unknown ID format or type: {id}")

    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> Mapping[str, object]:  # noqa: ARG002
        line = self.line_of_customer(customer_id, line_id)
        if line.status != LineStatus.ACTIVE:
            raise ValueError("Line must be active to suspend")
        line.status = LineStatus.SUSPENDED
        line.suspension_start_date = TODAY
        return {"message": "Line suspended successfully. $5/month holding fee will apply.", "line": line}

    def resume_line(self, customer_id: str, line_id: str) -> Mapping[str, object]:
        line = self.line_of_customer(customer_id, line_id)
        if line.status not in (LineStatus.SUSPENDED, LineStatus.PENDING_ACTIVATION):
            raise ValueError("Line must be suspended to resume")
        line.status = LineStatus.ACTIVE
        line.suspension_start_date = None
        return {"message": "Line resumed successfully", "line": line}

    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> Sequence[Bill]:
        bills = self.bills(self.customer(customer_id))
        return sorted(bills, key=lambda bill: bill.issue_date, reverse=True)[:limit]

    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        customer = self.customer(customer_id)
        if self.bills(customer, BillStatus.AWAITING_PAYMENT):
            raise ValueError("A bill is already awaiting payment for this customer")
        if bill_id not in customer.bill_ids:
            raise ValueError(f"Bill {bill_id} not found for customer {customer_id}")
        bill = self.bill(bill_id)
        bill.status = BillStatus.AWAITING_PAYMENT
        return f"Payment request sent to the customer for bill {bill.bill_id}"

    def get_data_usage(self, customer_id: str, line_id: str) -> Mapping[str, object]:
        line = self.line_of_customer(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": line.data_used_gb,
            "data_limit_gb": self.plan(line.plan_id).data_limit_gb,
            "data_refueling_gb": line.data_refueling_gb,
            "cycle_end_date": _END_OF_CYCLE,
        }

    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        line = self.line_of_customer(customer_id, line_id)
        if line.roaming_enabled:
            return "Roaming was already enabled"
        line.roaming_enabled = True
        return "Roaming enabled successfully"

    def disable_roaming(self, customer_id: str, line_id: str) -> str:
        line = self.line_of_customer(customer_id, line_id)
        if not line.roaming_enabled:
            return "Roaming was already disabled"
        line.roaming_enabled = False
        return "Roaming disabled successfully"

    def transfer_to_human_agents(self, summary: str) -> str:  # noqa: ARG002 # nobody reads it
        return "Transfer successful"

    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> Mapping[str, object]:
        line = self.line_of_customer(customer_id, line_id)
        if gb_amount <= 0:
            raise ValueError("Refuel amount must be positive")
        price = self.plan(line.plan_id).data_refueling_price_per_gb
        charge = gb_amount * price
        line.data_refueling_gb += gb_amount
        self.charge(customer_id, charge, f"Data refueling: {gb_amount} GB at ${price}/GB")
        return {
            "message": f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}",
            "new_data_refueling_gb": line.data_refueling_gb,
            "charge": charge,
        }

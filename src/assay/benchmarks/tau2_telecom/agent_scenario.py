"""What tasks do to the carrier's database before a conversation, and ask of it afterwards."""

from assay.benchmarks.tau2_telecom.accounts import TODAY, BillStatus, LineStatus
from assay.benchmarks.tau2_telecom.agent_tools import TelecomTools


class AgentScenario(TelecomTools):
    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        self.line_of_customer(customer_id, line_id).data_used_gb = data_used_gb
        return f"Data usage set to {data_used_gb} GB for line {line_id}"

    def suspend_line_for_overdue_bill(
        self,
        customer_id: str,
        line_id: str,
        new_bill_id: str,
        contract_ended: bool,  # noqa: FBT001 # tasks name their arguments
    ) -> str:
        line = self.line(line_id)
        if line.status != LineStatus.ACTIVE:
            raise ValueError("Line must be active to suspend for unpaid bill")
        if self.plan(line.plan_id).price_per_month <= 0:
            raise ValueError("Amount must be positive for overdue bill")
        customer = self.customer(customer_id)
        if self.bills(customer, BillStatus.OVERDUE):
            raise ValueError("Customer already has an overdue bill")
        bill = self.add_overdue_bill(customer, line, new_bill_id)
        line.status = LineStatus.SUSPENDED
        line.suspension_start_date = TODAY
        if contract_ended:
            line.contract_end_date = bill.period_end
        return f"Line {line_id} suspended for unpaid bill {new_bill_id}. Contract ended: {contract_ended}"

    def assert_data_refueling_amount(self, customer_id: str, line_id: str, expected_amount: float) -> bool:
        line = self.line_of_customer(customer_id, line_id)
        return abs(line.data_refueling_gb - expected_amount) < 1e-6  # noqa: PLR2004 # as the harness

    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        return self.line_of_customer(customer_id, line_id).status == expected_status

    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        customer = self.customer(customer_id)
        return (
            overdue_bill_id in customer.bill_ids and self.bill(overdue_bill_id).status == BillStatus.OVERDUE
        )

    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Met by a bill that is paid or does not exist."""
        found = [bill for bill in self.db.bills if bill.bill_id == overdue_bill_id]
        return not found or found[0].status == BillStatus.PAID

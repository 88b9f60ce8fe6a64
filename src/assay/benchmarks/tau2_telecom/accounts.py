"""The carrier's database: customers, lines, plans, bills and devices, as the official files hold them."""

from datetime import date, datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

# All of it happens on this day.
TODAY = date(2025, 2, 25)


class Record(BaseModel):
    """Values are checked when a record is made, not when one is assigned: the hash has them as they are."""

    model_config = ConfigDict(extra="forbid")


class Address(Record):
    street: str
    city: str
    state: str
    zip_code: str


class Plan(Record):
    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: float
    data_refueling_price_per_gb: float


class DeviceType(StrEnum):
    PHONE = "phone"
    ROUTER = "router"
    TABLET = "tablet"
    WATCH = "watch"
    OTHER = "other"


class Device(Record):
    device_id: str
    device_type: DeviceType
    model: str
    imei: str | None = None
    is_esim_capable: bool
    activated: bool = False
    activation_date: datetime | None = None
    last_esim_transfer_date: datetime | None = None


class LineStatus(StrEnum):
    ACTIVE = "Active"
    SUSPENDED = "Suspended"
    PENDING_ACTIVATION = "Pending Activation"
    CLOSED = "Closed"


class Line(Record):
    line_id: str
    phone_number: str
    status: LineStatus = LineStatus.PENDING_ACTIVATION
    plan_id: str
    device_id: str | None = None
    data_used_gb: float = 0.0
    data_refueling_gb: float = 0.0
    roaming_enabled: bool = False
    contract_end_date: date | None = None
    last_plan_change_date: date | None = None
    last_sim_replacement_date: date | None = None
    suspension_start_date: date | None = None


class LineItem(Record):
    description: str
    amount: float
    date: date
    item_type: str


class BillStatus(StrEnum):
    DRAFT = "Draft"
    ISSUED = "Issued"
    AWAITING_PAYMENT = "Awaiting Payment"
    PAID = "Paid"
    OVERDUE = "Overdue"
    DISPUTED = "Disputed"


class Bill(Record):
    bill_id: str
    customer_id: str
    period_start: date
    period_end: date
    issue_date: date
    total_due: float
    due_date: date
    line_items: list[LineItem] = Field(default_factory=list[LineItem])
    status: BillStatus = BillStatus.DRAFT


class AccountStatus(StrEnum):
    ACTIVE = "Active"
    SUSPENDED = "Suspended"
    PENDING_VERIFICATION = "Pending Verification"
    CLOSED = "Closed"


class PaymentMethodType(StrEnum):
    CREDIT_CARD = "Credit Card"
    DEBIT_CARD = "Debit Card"
    PAYPAL = "PayPal"


class PaymentMethod(Record):
    method_type: PaymentMethodType
    account_number_last_4: str
    expiration_date: str


class Customer(Record):
    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: AccountStatus = AccountStatus.PENDING_VERIFICATION
    payment_methods: list[PaymentMethod] = Field(default_factory=list[PaymentMethod])
    line_ids: list[str] = Field(default_factory=list[str])
    bill_ids: list[str] = Field(default_factory=list[str])
    created_at: datetime = datetime(2025, 1, 1)  # noqa: DTZ001 # the files have no time zones
    last_extension_date: date | None = None
    goodwill_credit_used_this_year: float = 0.0


class TelecomDB(Record):
    plans: list[Plan] = Field(default_factory=list[Plan])
    customers: list[Customer] = Field(default_factory=list[Customer])
    lines: list[Line] = Field(default_factory=list[Line])
    bills: list[Bill] = Field(default_factory=list[Bill])
    devices: list[Device] = Field(default_factory=list[Device])

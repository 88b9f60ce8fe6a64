"""Webhooks, as requests and responses."""

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.engine.stores.webhooks import Webhook


class WebhookConfig(BaseModel):
    """An address that is notified when the run has ended; other fields are ignored."""

    model_config = ConfigDict(frozen=True)

    url: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(
        description="On a host that ASSAY_ALLOWED_ENDPOINTS of the server lists"
    )
    secret: Annotated[str, Field(min_length=8, max_length=256)] | None = Field(
        default=None, description="Signs what is sent; by default WEBHOOK_SECRET of the server"
    )


class LostWebhook(Schema):
    """A webhook that could not be delivered."""

    id: str = Field(description="The id of its run")
    batch_id: str = Field(description="The batch it was about")
    webhook_host: FreeText = Field(description="Where it was sent; the rest of the address may be secret")
    error_message: FreeText | None = Field(description="Why the last try failed")
    attempts: int = Field(description="Number of tries")
    created_at: Moment = Field(description="When the batch was created")

    @classmethod
    def of(cls, webhook: Webhook) -> Self:
        return cls(
            id=webhook.run_id,
            batch_id=f"batch_{webhook.run_id}_0",
            webhook_host=urlsplit(webhook.url).netloc,
            error_message=webhook.error,
            attempts=webhook.tries,
            created_at=webhook.created_at,
        )


class LostWebhookList(Schema):
    object: Literal["list"] = Field(default="list", description="Always `list`")
    data: tuple[LostWebhook, ...] = Field(description="Newest first")
    has_more: bool = Field(description="Whether there are more after this page")
    total: int = Field(description="Number on all pages")

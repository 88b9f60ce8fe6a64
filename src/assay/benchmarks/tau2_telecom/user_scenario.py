"""What tasks do to the phone before a conversation, and ask of it afterwards."""

from typing import Literal

from assay.benchmarks.tau2_telecom.phone_state import (
    APNNames,
    AppPermissions,
    NetworkStatus,
    PerformanceLevel,
    SimStatus,
)
from assay.benchmarks.tau2_telecom.user_tools import TelecomUserTools

# Tasks name the arguments of these functions.
# ruff: noqa: FBT001


class UserScenario(TelecomUserTools):
    def set_user_info(self, name: str, phone_number: str) -> None:
        self.surroundings.name = name
        self.surroundings.phone_number = phone_number

    def set_user_location(self, abroad: bool) -> None:
        self.surroundings.is_abroad = abroad

    def turn_airplane_mode_on(self) -> None:
        while not self._toggle_airplane_mode():
            pass

    def turn_airplane_mode_off(self) -> None:
        while self._toggle_airplane_mode():
            pass

    def turn_data_on(self) -> None:
        self.device.data_enabled = True

    def turn_data_off(self) -> None:
        while self._toggle_data():
            pass

    def turn_roaming_on(self) -> None:
        while not self._toggle_roaming():
            pass

    def turn_roaming_off(self) -> None:
        while self._toggle_roaming():
            pass

    def turn_data_saver_mode_on(self) -> None:
        self.device.data_saver_mode = True

    def turn_data_saver_mode_off(self) -> None:
        self.device.data_saver_mode = False

    def unseat_sim_card(self) -> None:
        self.device.sim_card_missing = True
        self.simulate_network_search()

    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> None:
        statuses = {"pin": SimStatus.LOCKED_PIN, "puk": SimStatus.LOCKED_PUK}
        self.device.sim_card_status = statuses.get(mode, self.device.sim_card_status)
        self.simulate_network_search()

    def break_apn_settings(self) -> None:
        self.device.active_apn_settings.apn_name = APNNames.BROKEN
        self.simulate_network_search()

    def break_apn_mms_setting(self) -> None:
        self.device.active_apn_settings.mmsc_url = None

    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> None:
        self.device.wifi_calling_enabled = enabled
        if mms_over_wifi is not None:
            self.device.wifi_calling_mms_over_wifi = mms_over_wifi

    def break_vpn(self) -> None:
        self._connect_vpn()
        if self.device.vpn_details is not None:
            self.device.vpn_details.server_performance = PerformanceLevel.POOR

    def remove_app_permission(self, app_name: str, permission: str) -> None:
        app = self.device.app_statuses.get(app_name)
        name = permission.lower()
        if app is not None and name in AppPermissions.model_fields:
            setattr(app.permissions, name, False)

    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        return self.device.airplane_mode == expected_status

    def assert_service_status(self, expected_status: str) -> bool:
        return self.device.network_connection_status == NetworkStatus(expected_status)

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        return self._is_data_working() == expected_status

    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        return self.device.roaming_enabled == expected_status

    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        return self.device.data_saver_mode == expected_status

    def assert_internet_speed(self, expected_speed: float, expected_desc: str | None = None) -> bool:
        speed, grade = self._speed()
        is_fast = (speed or 0.0) >= expected_speed
        return is_fast and (expected_desc is None or grade.lower() == expected_desc.lower())

    def assert_internet_not_excellent(self) -> bool:
        return self._speed()[1].lower() != "excellent"

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        return self._can_send_mms() == expected_status

    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        return self.surroundings.mobile_data_usage_exceeded == expected_status

"""The thirty tools of the user, with the official results."""

from collections.abc import Sequence

from assay.benchmarks.tau2_telecom.phone import Phone
from assay.benchmarks.tau2_telecom.phone_state import (
    APNSettings,
    AppPermissions,
    NetworkModePreference,
    SimStatus,
)

_SIM_CARDS = {
    SimStatus.ACTIVE: "Your SIM card is active and working.",
    SimStatus.MISSING: "No SIM card detected in the phone.",
    SimStatus.LOCKED_PIN: "The SIM card is locked with a PIN code.",
    SimStatus.LOCKED_PUK: "The SIM card is locked with a PUK code.",
}
_ADVICE = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


def _on(is_on: bool) -> str:  # noqa: FBT001
    return "ON" if is_on else "OFF"


def _yes(is_so: bool) -> str:  # noqa: FBT001
    return "Yes" if is_so else "No"


def _granted(permissions: AppPermissions) -> list[str]:
    return [name for name, is_granted in permissions.model_dump().items() if is_granted]


# Python names the class in messages about missing and unknown arguments, which users get.
class TelecomUserTools(Phone):
    """Arguments are what a model wrote, of whatever type; errors are told to it as Python words them."""

    def check_status_bar(self) -> str:
        return f"Status Bar: {self._status_bar()}"

    def _then_status_bar(self, text: str) -> str:
        return f"{text}\nStatus Bar: {self._status_bar()}"

    def check_network_status(self) -> str:
        device = self.device
        lines = [
            f"Airplane Mode: {_on(device.airplane_mode)}",
            f"SIM Card Status: {self._sim_status().value}",
            f"Cellular Connection: {device.network_connection_status.value}",
            f"Cellular Signal: {device.network_signal_strength.value}",
            f"Cellular Network Type: {device.network_technology_connected.value}",
            f"Mobile Data Enabled: {_yes(device.data_enabled)}",
            f"Data Roaming Enabled: {_yes(device.roaming_enabled)}",
            f"Wi-Fi Radio: {_on(device.wifi_enabled)}",
            f"Wi-Fi Connected: {_yes(device.wifi_connected)}",
        ]
        if device.wifi_connected:
            lines.append(f"Connected Wi-Fi Network: {device.wifi_ssid}")
        return "\n".join(lines)

    def check_network_mode_preference(self) -> str:
        return f"Network Mode Preference: {self.device.network_mode_preference.value}"

    def set_network_mode_preference(self, mode: str) -> str:
        if mode is not None and not isinstance(mode, str):  # pyright: ignore[reportUnnecessaryComparison, reportUnnecessaryIsInstance] # whatever a model wrote
            # As the harness words it, which by then has made it the phone's setting.
            raise AttributeError(f"{type(mode).__name__!r} object has no attribute 'value'")
        try:
            wanted = NetworkModePreference(mode)
        except ValueError:
            known = ", ".join(NetworkModePreference)
            return self._then_status_bar(
                f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: {known}"
            )
        self.device.network_mode_preference = wanted
        self.simulate_network_search()
        return self._then_status_bar(f"Preferred Network Mode set to: {wanted.value}")

    def run_speed_test(self) -> str:
        speed, grade = self._speed()
        if speed is None:
            return f"Speed test failed: {grade}."
        return f"Speed Test Result: {speed:.2f} Mbps ({grade}). {_ADVICE[grade]}"

    def toggle_airplane_mode(self) -> str:
        return self._then_status_bar(f"Airplane Mode is now {_on(self._toggle_airplane_mode())}.")

    def check_sim_status(self) -> str:
        return _SIM_CARDS[self._sim_status()]

    def reseat_sim_card(self) -> str:
        self.device.sim_card_missing = False
        self.simulate_network_search()
        return self._then_status_bar("SIM card re-seated successfully.")

    def toggle_data(self) -> str:
        return self._then_status_bar(f"Mobile Data is now {_on(self._toggle_data())}.")

    def toggle_roaming(self) -> str:
        return self._then_status_bar(f"Data Roaming is now {_on(self._toggle_roaming())}.")

    def check_data_restriction_status(self) -> str:
        if self.device.data_saver_mode:
            return "Data Saver mode is ON (limits data usage)."
        return "Data Saver mode is OFF."

    def toggle_data_saver_mode(self) -> str:
        return self._then_status_bar(f"Data Saver Mode is now {_on(self._toggle_data_saver_mode())}.")

    def check_apn_settings(self) -> str:
        settings = self.device.active_apn_settings
        return (
            f"Current APN Name: {settings.apn_name.value}\n"
            f"MMSC URL (for picture messages): {settings.mmsc_url or 'Not Set'}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    def set_apn_settings(self, apn_settings: dict[str, object]) -> str:
        if not isinstance(apn_settings, dict):  # pyright: ignore[reportUnnecessaryIsInstance] # whatever a model wrote
            # As the harness words it, which by then has made it the phone's setting.
            message = f"{type(apn_settings).__name__!r} object has no attribute 'apn_name'"
            raise AttributeError(message)  # noqa: TRY004 # an error of Python's that the model gets
        settings = APNSettings.model_validate(apn_settings)
        self.device.active_apn_settings = settings
        self.simulate_network_search()
        return self._then_status_bar(f"APN settings set to: {settings.apn_name.value}")

    def reset_apn_settings(self) -> str:
        self.device.active_apn_settings.reset_at_reboot = True
        self.simulate_network_search()
        return self._then_status_bar("APN settings will reset at reboot.")

    def check_wifi_status(self) -> str:
        device = self.device
        if not device.wifi_enabled:
            return "Wi-Fi is turned OFF."
        if not device.wifi_connected:
            return "Wi-Fi is ON but not connected to any network."
        strength = device.wifi_signal_strength.value
        return f"Wi-Fi is ON and connected to '{device.wifi_ssid}'. Signal strength: {strength}."

    def toggle_wifi(self) -> str:
        device = self.device
        if device.airplane_mode:
            return self._then_status_bar("Cannot change Wi-Fi settings while Airplane Mode is ON.")
        device.wifi_enabled = not device.wifi_enabled
        if not device.wifi_enabled:
            self._leave_wifi()
        return self._then_status_bar(f"Wi-Fi is now {_on(device.wifi_enabled)}.")

    def check_wifi_calling_status(self) -> str:
        return f"Wi-Fi Calling is currently turned {_on(self.device.wifi_calling_enabled)}."

    def toggle_wifi_calling(self) -> str:
        return self._then_status_bar(f"Wi-Fi Calling is now {_on(self._toggle_wifi_calling())}.")

    def check_vpn_status(self) -> str:
        device = self.device
        if device.vpn_connected and device.vpn_details is not None:
            return f"VPN is ON and connected. Details: {device.vpn_details.model_dump()}"
        if device.vpn_connected:
            return "VPN is ON and connected (no specific details available)."
        if device.vpn_enabled_setting:
            return "VPN is turned ON in settings, but currently not connected."
        return "VPN is turned OFF."

    def connect_vpn(self) -> str:
        if not self._connect_vpn():
            return "VPN already connected."
        return self._then_status_bar("VPN connected successfully.")

    def disconnect_vpn(self) -> str:
        was_connected = self._disconnect_vpn()
        return self._then_status_bar(
            "VPN disconnected successfully." if was_connected else "No active VPN connection to disconnect."
        )

    def check_installed_apps(self) -> str:
        return f"The following apps are installed on the phone: {', '.join(self.device.app_statuses)}"

    def check_app_status(self, app_name: str) -> str:
        app = self.device.app_statuses.get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        granted = _granted(app.permissions)
        permissions: Sequence[str] = (
            [" - Permissions Granted:", *(f"   - {name}" for name in granted)]
            if granted
            else [" - Permissions: None granted."]
        )
        return "\n".join([f"Status for App: {app_name}", *permissions])

    def check_app_permissions(self, app_name: str) -> str:
        app = self.device.app_statuses.get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        granted = _granted(app.permissions)
        if not granted:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(granted)}."

    def grant_app_permission(self, app_name: str, permission: str) -> str:
        app = self.device.app_statuses.get(app_name)
        name = permission.lower()
        known = list(AppPermissions.model_fields)
        if app is None:
            result = f"Error. App '{app_name}' not found. Cannot grant permission."
        elif name not in known:
            result = (
                f"Error. Permission '{name}' not tracked for app '{app_name}', available permissions: {known}"
            )
        else:
            setattr(app.permissions, name, True)
            result = f"Success. Permission '{name}' granted to app '{app_name}'."
        return self._then_status_bar(result)

    def can_send_mms(self) -> str:
        can = "can" if self._can_send_mms() else "cannot"
        return f"Your messaging app {can} send MMS messages."

    def reboot_device(self) -> str:
        lines = ["Restarting network services..."]
        if self.device.active_apn_settings.reset_at_reboot:
            lines.insert(0, "Resetting APN settings...")
            self._reset_apn_settings()
        self.simulate_network_search()
        return self._then_status_bar("\n".join(lines))

    def check_payment_request(self) -> str:
        request = self.surroundings.payment_request
        if request is None:
            return "No payment request has been made."
        return f"You have a payment request for bill {request.bill_id} of {request.amount_due} USD."

    def make_payment(self) -> str:
        request = self.surroundings.payment_request
        if request is None:
            return "You do not have a payment request."
        request.paid = True
        return f"Payment of {request.amount_due} USD has been made for bill {request.bill_id}."

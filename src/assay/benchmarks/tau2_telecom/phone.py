"""What the phone does, whoever asks for it."""

from assay.benchmarks.tau2_telecom.phone_state import (
    APNNames,
    APNSettings,
    Device,
    NetworkModePreference,
    NetworkStatus,
    NetworkTechnology,
    PerformanceLevel,
    SignalStrength,
    SimStatus,
    Surroundings,
    TelecomUserDB,
    VpnDetails,
)

_TECHNOLOGIES = {
    NetworkModePreference.FOUR_G_ONLY: NetworkTechnology.FOUR_G,
    NetworkModePreference.THREE_G_ONLY: NetworkTechnology.THREE_G,
    NetworkModePreference.TWO_G_ONLY: NetworkTechnology.TWO_G,
}
# Lowest and highest speed of each technology, in Mbit/s.
_SPEEDS = {
    NetworkTechnology.NONE: (0.0, 0.0),
    NetworkTechnology.TWO_G: (0.1, 0.4),
    NetworkTechnology.THREE_G: (1.0, 5.0),
    NetworkTechnology.FOUR_G: (10.0, 100.0),
    NetworkTechnology.FIVE_G: (50.0, 500.0),
}
_SHARES = {
    SignalStrength.NONE: 0.0,
    SignalStrength.POOR: 0.2,
    SignalStrength.FAIR: 0.5,
    SignalStrength.GOOD: 0.8,
    SignalStrength.EXCELLENT: 1.0,
}
_GRADES = ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"))
_SIGNALS = {
    SignalStrength.NONE: "📵 No Signal",
    SignalStrength.POOR: "📶¹ Poor",
    SignalStrength.FAIR: "📶² Fair",
    SignalStrength.GOOD: "📶³ Good",
    SignalStrength.EXCELLENT: "📶⁴ Excellent",
}


class Phone:
    def __init__(self, db: TelecomUserDB) -> None:
        self.db = db
        # The one server that there is: once broken it stays so, also for a new connection.
        self._vpn_server = VpnDetails(
            server_address="192.168.1.1", protocol="OpenVPN", server_performance=PerformanceLevel.EXCELLENT
        )

    @property
    def device(self) -> Device:
        return self.db.device

    @property
    def surroundings(self) -> Surroundings:
        return self.db.surroundings

    def _status_bar(self) -> str:
        device = self.device
        shown = ["✈️ Airplane Mode"] if device.airplane_mode else self._network_icons()
        if device.wifi_enabled and device.wifi_connected:
            shown.append(f"📡 Connected to {device.wifi_ssid}" if device.wifi_ssid else "📡 Enabled")
        if device.vpn_connected:
            shown.append("🔒 VPN Connected")
        return " | ".join([*shown, f"🔋 {device.battery_level}%"])

    def _network_icons(self) -> list[str]:
        device = self.device
        shown = [_SIGNALS[device.network_signal_strength]]
        technology = device.network_technology_connected
        if technology != NetworkTechnology.NONE:
            shown.append(technology.value)
        if not device.data_enabled or technology == NetworkTechnology.NONE:
            return [*shown, "📵 Data Disabled"]
        return [*shown, "📱 Data Enabled", *(["🔽 Data Saver"] if device.data_saver_mode else [])]

    def _sim_status(self) -> SimStatus:
        return SimStatus.MISSING if self.device.sim_card_missing else self.device.sim_card_status

    def simulate_network_search(self) -> None:
        """Connect as well as SIM card, settings, line and place allow; tasks call it by this name."""
        device = self.device
        has_service = (
            self._sim_status() == SimStatus.ACTIVE
            and not device.airplane_mode
            and device.active_apn_settings.apn_name != APNNames.BROKEN
            and self.surroundings.line_active
        )
        if has_service:
            technology = self._reachable_technology()
            device.network_connection_status = NetworkStatus.CONNECTED
            device.network_technology_connected = technology
            device.network_signal_strength = self._signal(technology)
        else:
            device.network_connection_status = NetworkStatus.NO_SERVICE
            device.network_technology_connected = NetworkTechnology.NONE
            device.network_signal_strength = SignalStrength.NONE

    def _reachable_technology(self) -> NetworkTechnology:
        wanted = _TECHNOLOGIES.get(self.device.network_mode_preference)
        if wanted is not None:
            return wanted
        has_5g = self._signal(NetworkTechnology.FIVE_G) != SignalStrength.NONE
        return NetworkTechnology.FIVE_G if has_5g else NetworkTechnology.FOUR_G

    def _signal(self, technology: NetworkTechnology) -> SignalStrength:
        return self.surroundings.signal_strength.get(technology, SignalStrength.NONE)

    def _is_data_working(self) -> bool:
        device, around = self.device, self.surroundings
        is_allowed = not around.is_abroad or (device.roaming_enabled and around.roaming_allowed)
        is_connected = (
            not device.airplane_mode
            and device.network_signal_strength != SignalStrength.NONE
            and device.network_connection_status != NetworkStatus.NO_SERVICE
        )
        return is_connected and is_allowed and device.data_enabled and not around.mobile_data_usage_exceeded

    def _speed(self) -> tuple[float | None, str]:
        """In Mbit/s, with its grade; None without a connection."""
        device = self.device
        if not self._is_data_working():
            return None, "No Connection"
        vpn = device.vpn_details if device.vpn_connected else None
        factor = 0.1 if vpn is not None and vpn.server_performance == PerformanceLevel.POOR else 1.0
        if device.data_saver_mode:
            factor *= 0.2
        low, high = _SPEEDS[device.network_technology_connected]
        speed = round((low + high) / 2.0 * _SHARES[device.network_signal_strength] * factor, 2)
        return speed, next((grade for below, grade in _GRADES if speed < below), "Excellent")

    def _can_send_mms(self) -> bool:
        device = self.device
        messaging = device.app_statuses.get("messaging")
        return (
            self._is_data_working()
            and device.network_technology_connected != NetworkTechnology.TWO_G
            and not (device.wifi_calling_enabled and device.wifi_calling_mms_over_wifi)
            and device.active_apn_settings.mmsc_url is not None
            and messaging is not None
            and messaging.permissions.storage
            and messaging.permissions.sms
        )

    def _toggle_airplane_mode(self) -> bool:
        device = self.device
        device.airplane_mode = not device.airplane_mode
        if device.airplane_mode or device.wifi_enabled:
            self._leave_wifi()
        if device.airplane_mode and device.vpn_connected:
            self._disconnect_vpn()
        self.simulate_network_search()
        return device.airplane_mode

    def _leave_wifi(self) -> None:
        self.device.wifi_connected = False
        self.device.wifi_ssid = None
        self.device.wifi_signal_strength = SignalStrength.NONE

    def _toggle_data(self) -> bool:
        self.device.data_enabled = not self.device.data_enabled
        self.simulate_network_search()
        return self.device.data_enabled

    def _toggle_roaming(self) -> bool:
        self.device.roaming_enabled = not self.device.roaming_enabled
        self.simulate_network_search()
        return self.device.roaming_enabled

    def _toggle_data_saver_mode(self) -> bool:
        self.device.data_saver_mode = not self.device.data_saver_mode
        return self.device.data_saver_mode

    def _toggle_wifi_calling(self) -> bool:
        self.device.wifi_calling_enabled = not self.device.wifi_calling_enabled
        return self.device.wifi_calling_enabled

    def _connect_vpn(self) -> bool:
        """Whether there was no connection yet."""
        if self.device.vpn_connected:
            return False
        self.device.vpn_connected = True
        self.device.vpn_details = self._vpn_server
        return True

    def _disconnect_vpn(self) -> bool:
        if not self.device.vpn_connected:
            return False
        self.device.vpn_connected = False
        self.device.vpn_details = None
        return True

    def _reset_apn_settings(self) -> None:
        self.device.active_apn_settings = APNSettings()

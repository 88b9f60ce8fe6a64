"""The documents that the tool simulator searches."""

from scripts.janus_items.tools.drawn import drawn


def _n(name: str, low: int, high: int) -> int:
    return drawn(f"document {name}", low, high)


DOCUMENTS = (
    (
        "Data sheet of the pump PX-40",
        "The PX-40 is a self-priming pump for clean water, for farms and small plants. It is driven by a motor of 0.75"
        f" kW. Greatest flow: {_n('px40 flow', 310, 420) / 10} l/min. Noise: {_n('px40 noise', 55, 64)} dB. It is to be"
        f" serviced after every {_n('px40 service', 21, 29) * 100} hours of use. Seal kit: SK-117.",
    ),
    (
        "Data sheet of the pump PX-60",
        "The PX-60 is a self-priming pump for water with particles of up to 4 mm. It is driven by a motor of 1.1 kW."
        f" Greatest flow: {_n('px60 flow', 510, 640) / 10} l/min. Noise: {_n('px60 noise', 60, 69)} dB. It is to be"
        f" serviced after every {_n('px60 service', 30, 36) * 100} hours of use. Seal kit: SK-121.",
    ),
    (
        "Data sheet of the temperature sensor T-8",
        "The T-8 measures from -40 to 180 degrees Celsius with a probe of stainless steel. Its cable may be up to 60 m"
        f" long. Drift: {_n('t8 drift', 11, 39) / 1000} degrees a year. Calibrate it after {_n('t8 months', 13, 23)}"
        " months, with the bath at 37.0 degrees.",
    ),
    (
        "Travel policy 2026",
        "All travel is booked through the travel desk, at the latest five working days before the trip. Trains are"
        " preferred to flights below six hours. Daily allowances: Germany"
        f" {_n('allowance de', 41, 49)} EUR, Norway {_n('allowance no', 71, 84)} EUR, Spain {_n('allowance es', 33, 40)}"
        f" EUR, Ireland {_n('allowance ie', 51, 60)} EUR. Trips of more than {_n('trip days', 11, 18)} days need the"
        " approval of the head of finance.",
    ),
    (
        "Expense policy",
        "Receipts are handed in within 30 days. Meals with customers are paid up to"
        f" {_n('meal', 44, 68)} EUR a person. Gifts to customers may not be worth more than {_n('gift', 21, 39)} EUR."
        " Whoever drives a car of their own gets"
        f" {_n('car cents', 31, 46)} cents a kilometre.",
    ),
    (
        "Warranty terms",
        "The warranty begins on the day of delivery. It does not cover seals, hoses and other parts that wear. Pumps:"
        f" {_n('warranty pumps', 26, 34)} months. Sensors: {_n('warranty sensors', 14, 22)} months. Electronics:"
        f" {_n('warranty electronics', 36, 48)} months. Claims are sent with form W-{_n('claim form', 12, 77)}.",
    ),
    (
        "Minutes of the Kestrel steering group, 11 February 2026",
        "Present: Moe, Solvang, Zielinski. The group heard the report on the prototype of the quiet pump. It approved a"
        f" budget of {_n('kestrel budget', 171, 219)},500 EUR for project Kestrel. The next milestone is the test in"
        " salt water at Tromsø. Dmitri Volkov leads the test.",
    ),
    (
        "Minutes of the Kestrel steering group, 25 February 2026",
        "Present: Moe, Solvang, Kobayashi. Project Kestrel is two weeks late because of the bearings. The group raised"
        f" its budget by {_n('kestrel raise', 11, 28)},300 EUR. The test in salt water moves to"
        f" {_n('kestrel test', 13, 27)} March.",
    ),
    (
        "Release notes of firmware 4.2 for the control unit CU-2",
        "Firmware 4.2 mends the alarm that rang twice. Updating takes about"
        f" {_n('update minutes', 7, 18)} minutes and keeps all settings. Units with a serial number below"
        f" {_n('serial', 2100, 7900)} need the adapter A-{_n('adapter', 3, 29)} first.",
    ),
    (
        "Fire drill of the Hamburg office",
        "The drill begins with three long tones. Everybody leaves by the nearest stairs and meets at the crane by dock"
        f" {_n('dock', 3, 19)}. The warden of the second floor is Mikko Laine. The building must be empty within"
        f" {_n('drill', 4, 9)} minutes.",
    ),
    (
        "Visitors",
        "Visitors sign in at reception and get a badge, which is valid for a day. The network for guests is"
        f" halden-guest; its password this month is tide-{_n('wifi', 1000, 9999)}. Visitors do not enter hall B without"
        " safety shoes.",
    ),
    (
        "Retention of data",
        "Recordings of calls with support are kept for"
        f" {_n('keep calls', 41, 89)} days, logs of machines for {_n('keep logs', 13, 35)} months and contracts for ten"
        " years. What is older is deleted on the first Monday of a month.",
    ),
    (
        "How pallets are packed",
        "A pallet takes at most"
        f" {_n('pallet kg', 520, 780)} kg and is no higher than 180 cm. Pumps stand upright, at most two above each"
        " other. Hoses are never packed below pumps.",
    ),
    (
        "Canteen, week of 2 March",
        "Monday lentil soup, Tuesday fish cakes, Wednesday mushroom risotto, Thursday chicken with rice, Friday pizza."
        " There is always a vegetarian dish. A meal costs"
        f" {_n('meal price', 52, 89) / 10:.2f} EUR for employees.",
    ),
)

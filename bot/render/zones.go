package render

import "time"

// A Zone is a time zone under the name of a place that people know.
type Zone struct {
	// Name is the name in the time zone database.
	Name string
	// Place is how it is shown.
	Place Text
}

// zones are enough places for every clock that people live by. They are ordered from west to east, and within one clock by how many
// people live there. Of places whose clocks agree all year one or two are named.
var zones = []Zone{
	{"Pacific/Pago_Pago", "zones.pago_pago"},
	{"Pacific/Honolulu", "zones.honolulu"},
	{"America/Adak", "zones.adak"},
	{"Pacific/Marquesas", "zones.marquesas"},
	{"America/Anchorage", "zones.anchorage"},
	{"Pacific/Gambier", "zones.gambier"},
	{"America/Los_Angeles", "zones.los_angeles"},
	{"America/Denver", "zones.denver"},
	{"America/Phoenix", "zones.phoenix"},
	{"America/Chicago", "zones.chicago"},
	{"America/Mexico_City", "zones.mexico_city"},
	{"America/Guatemala", "zones.guatemala"},
	{"America/Regina", "zones.regina"},
	{"Pacific/Easter", "zones.easter"},
	{"America/New_York", "zones.new_york"},
	{"America/Bogota", "zones.bogota"},
	{"America/Havana", "zones.havana"},
	{"America/Halifax", "zones.halifax"},
	{"America/Caracas", "zones.caracas"},
	{"America/Santiago", "zones.santiago"},
	{"America/Manaus", "zones.manaus"},
	{"America/St_Johns", "zones.st_johns"},
	{"America/Sao_Paulo", "zones.sao_paulo"},
	{"America/Argentina/Buenos_Aires", "zones.buenos_aires"},
	{"America/Miquelon", "zones.miquelon"},
	{"America/Nuuk", "zones.nuuk"},
	{"America/Noronha", "zones.noronha"},
	{"Atlantic/Cape_Verde", "zones.cape_verde"},
	{"Atlantic/Azores", "zones.azores"},
	{"Europe/London", "zones.london"},
	{"Atlantic/Reykjavik", "zones.reykjavik"},
	{"Africa/Casablanca", "zones.casablanca"},
	{"Europe/Berlin", "zones.berlin"},
	{"Africa/Lagos", "zones.lagos"},
	{"Europe/Athens", "zones.athens"},
	{"Africa/Cairo", "zones.cairo"},
	{"Africa/Johannesburg", "zones.johannesburg"},
	{"Asia/Jerusalem", "zones.jerusalem"},
	{"Asia/Beirut", "zones.beirut"},
	{"Europe/Kaliningrad", "zones.kaliningrad"},
	{"Europe/Istanbul", "zones.istanbul"},
	{"Europe/Moscow", "zones.moscow"},
	{"Asia/Riyadh", "zones.riyadh"},
	{"Africa/Nairobi", "zones.nairobi"},
	{"Asia/Tehran", "zones.tehran"},
	{"Asia/Dubai", "zones.dubai"},
	{"Asia/Kabul", "zones.kabul"},
	{"Asia/Karachi", "zones.karachi"},
	{"Asia/Tashkent", "zones.tashkent"},
	{"Asia/Kolkata", "zones.kolkata"},
	{"Asia/Kathmandu", "zones.kathmandu"},
	{"Asia/Dhaka", "zones.dhaka"},
	{"Asia/Yangon", "zones.yangon"},
	{"Asia/Bangkok", "zones.bangkok"},
	{"Asia/Novosibirsk", "zones.novosibirsk"},
	{"Asia/Shanghai", "zones.shanghai"},
	{"Asia/Singapore", "zones.singapore"},
	{"Australia/Perth", "zones.perth"},
	{"Australia/Eucla", "zones.eucla"},
	{"Asia/Tokyo", "zones.tokyo"},
	{"Asia/Seoul", "zones.seoul"},
	{"Australia/Darwin", "zones.darwin"},
	{"Australia/Adelaide", "zones.adelaide"},
	{"Australia/Brisbane", "zones.brisbane"},
	{"Australia/Sydney", "zones.sydney"},
	{"Asia/Vladivostok", "zones.vladivostok"},
	{"Australia/Lord_Howe", "zones.lord_howe"},
	{"Pacific/Noumea", "zones.noumea"},
	{"Pacific/Norfolk", "zones.norfolk"},
	{"Pacific/Auckland", "zones.auckland"},
	{"Pacific/Fiji", "zones.fiji"},
	{"Pacific/Chatham", "zones.chatham"},
	{"Pacific/Tongatapu", "zones.tongatapu"},
	{"Pacific/Kiritimati", "zones.kiritimati"},
}

// ZonesAt are the places in which it is that hour of the day, 0 to 23, at the moment now: at most 25, and at least one.
func ZonesAt(now time.Time, hour int) []Zone {
	var out []Zone
	for _, z := range zones {
		place, err := time.LoadLocation(z.Name)
		if err == nil && now.In(place).Hour() == hour {
			out = append(out, z)
		}
	}
	return out[:min(maxOptions, len(out))]
}

// ZoneNamed finds a place by its name in the time zone database; false for one that was never offered.
func ZoneNamed(name string) (Zone, bool) {
	for _, z := range zones {
		if z.Name == name {
			return z, true
		}
	}
	return Zone{}, false
}

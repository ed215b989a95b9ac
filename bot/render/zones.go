package render

import "time"

// A Zone is a time zone under the name of a place that people know.
type Zone struct {
	// Name is the name in the time zone database.
	Name string
	// Place is how it is shown.
	Place string
}

// zones are enough places for every clock that people live by. They are ordered from west to east, and within one clock by how many
// people live there. Of places whose clocks agree all year one or two are named.
var zones = []Zone{
	{"Pacific/Pago_Pago", "Pago Pago"},
	{"Pacific/Honolulu", "Honolulu"},
	{"America/Adak", "Adak"},
	{"Pacific/Marquesas", "Marquesas"},
	{"America/Anchorage", "Anchorage"},
	{"Pacific/Gambier", "Gambier"},
	{"America/Los_Angeles", "Los Angeles, Seattle, Vancouver"},
	{"America/Denver", "Denver, Calgary"},
	{"America/Phoenix", "Phoenix"},
	{"America/Chicago", "Chicago, Dallas, Winnipeg"},
	{"America/Mexico_City", "Mexico City"},
	{"America/Guatemala", "Guatemala, San José"},
	{"America/Regina", "Regina"},
	{"Pacific/Easter", "Easter Island"},
	{"America/New_York", "New York, Toronto, Miami"},
	{"America/Bogota", "Bogotá, Lima"},
	{"America/Havana", "Havana"},
	{"America/Halifax", "Halifax"},
	{"America/Caracas", "Caracas, La Paz, San Juan"},
	{"America/Santiago", "Santiago de Chile"},
	{"America/Manaus", "Manaus"},
	{"America/St_Johns", "St. John's"},
	{"America/Sao_Paulo", "São Paulo, Rio de Janeiro"},
	{"America/Argentina/Buenos_Aires", "Buenos Aires, Montevideo"},
	{"America/Miquelon", "Saint-Pierre"},
	{"America/Nuuk", "Nuuk"},
	{"America/Noronha", "Fernando de Noronha"},
	{"Atlantic/Cape_Verde", "Praia"},
	{"Atlantic/Azores", "Azores"},
	{"Europe/London", "London, Dublin, Lisbon"},
	{"Atlantic/Reykjavik", "Reykjavík, Accra, Dakar"},
	{"Africa/Casablanca", "Casablanca"},
	{"Europe/Berlin", "Berlin, Paris, Rome, Madrid, Warsaw"},
	{"Africa/Lagos", "Lagos, Algiers, Tunis"},
	{"Europe/Athens", "Athens, Helsinki, Kyiv, Bucharest"},
	{"Africa/Cairo", "Cairo"},
	{"Africa/Johannesburg", "Johannesburg, Harare"},
	{"Asia/Jerusalem", "Jerusalem"},
	{"Asia/Beirut", "Beirut"},
	{"Europe/Kaliningrad", "Kaliningrad, Tripoli"},
	{"Europe/Istanbul", "Istanbul"},
	{"Europe/Moscow", "Moscow, Minsk"},
	{"Asia/Riyadh", "Riyadh, Baghdad"},
	{"Africa/Nairobi", "Nairobi, Addis Ababa"},
	{"Asia/Tehran", "Tehran"},
	{"Asia/Dubai", "Dubai, Baku, Tbilisi"},
	{"Asia/Kabul", "Kabul"},
	{"Asia/Karachi", "Karachi"},
	{"Asia/Tashkent", "Tashkent, Almaty, Yekaterinburg"},
	{"Asia/Kolkata", "Delhi, Mumbai, Colombo"},
	{"Asia/Kathmandu", "Kathmandu"},
	{"Asia/Dhaka", "Dhaka, Omsk"},
	{"Asia/Yangon", "Yangon"},
	{"Asia/Bangkok", "Bangkok, Hanoi, Jakarta"},
	{"Asia/Novosibirsk", "Novosibirsk, Krasnoyarsk"},
	{"Asia/Shanghai", "Beijing, Shanghai, Hong Kong, Taipei"},
	{"Asia/Singapore", "Singapore, Kuala Lumpur, Manila"},
	{"Australia/Perth", "Perth"},
	{"Australia/Eucla", "Eucla"},
	{"Asia/Tokyo", "Tokyo, Osaka"},
	{"Asia/Seoul", "Seoul"},
	{"Australia/Darwin", "Darwin"},
	{"Australia/Adelaide", "Adelaide"},
	{"Australia/Brisbane", "Brisbane"},
	{"Australia/Sydney", "Sydney, Melbourne"},
	{"Asia/Vladivostok", "Vladivostok"},
	{"Australia/Lord_Howe", "Lord Howe Island"},
	{"Pacific/Noumea", "Nouméa, Magadan"},
	{"Pacific/Norfolk", "Norfolk Island"},
	{"Pacific/Auckland", "Auckland"},
	{"Pacific/Fiji", "Suva, Petropavlovsk"},
	{"Pacific/Chatham", "Chatham Islands"},
	{"Pacific/Tongatapu", "Nukuʻalofa, Apia"},
	{"Pacific/Kiritimati", "Kiritimati"},
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

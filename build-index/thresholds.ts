/**
 * Thresholds of decisions about positions, places and areas, each with its reason and its unit. A threshold with
 * several users has one value for all of them. `position/weights.ts` has the weights of evidence.
 */

// Distances in km
export const SAME_POINT_KM = 0.1 // A position this near to its place in the gazetteer was copied from it.
export const TOWN_RADIUS_MIN_KM = 0.5 // Radius of a section of a city, and of a town inside the circle of a city.
export const AT_PLACE_KM = 3 // A position within this distance of its place in the gazetteer is right. Also the radius of a small city.
export const NEXT_PLACE_KM = 5 // A place within this distance has the same areas and height, and is the city of an organisation.
export const NEAREST_KM = 10 // The nearest place within this distance tells in which area a position lies. A part with the name of a city lies within it, or in the circle of the city.
export const SURE_KM = 15 // An estimate with a larger error is no evidence for other codes.
export const AGREED_KM = 20 // Witnesses of one code, its places, and the places that tell about a position lie within this distance: borders run between villages.
export const NEIGHBOUR_SPREAD_KM = 25 // Neighbours by code with a larger spread show no middle.
export const SAME_PLACE_KM = 30 // Beyond it begins another place: a namesake, a code of another middle. An estimate with a larger error is no answer.
export const LARGE_CODE_KM = 60 // A thinly settled code reaches this far from its town, half of the codes of an area from its middle, and the codes of a province from the city of its name.
export const FAR_KM = 75 // A code further from a middle does not belong to it. Codes that begin alike with a larger spread tell nothing.
export const ESTIMATED_AREA_KM = 100 // As LARGE_CODE_KM for a province, if the position is an estimate. Also the distance to a code that shares its area.
export const AREA_KM_MAX = 150 // No code lies further from the others of its level-2 area. With 200, AU and US get 22 estimates more, and Marble Canyon the time of Denver.
export const ALIKE_KM = 200 // No code lies further from those that begin alike.
export const REMOTE_KM = 300 // Far from everything, the nearest place may be this far, and has the zone of a position.

// Other measures
export const BORDER_DEGREES = 0.1 // Degrees. Nearer to a border the map alone does not decide the zone.
export const PLAIN_METRES = 60 // Places around differ by less where the land is flat: nine of ten such heights are within 33 m.
export const DENSITY = 4000 // People per square kilometre: a city of 1 million is a circle of 9 km.
export const AREA_FACTOR = 1.5 // A district with the name of a city lies within this many radii.
export const REMOTE_FACTOR = 2.5 // In remote regions the nearest place of the area may be this many times as far as any. With 1.5, 21 codes of AU lose their positions.
export const FAR_SPREADS = 4 // As FAR_KM, in spreads. The larger of both counts.
export const MARGIN = 3 // A rival with a score lower by this much does not make a position rough. Without it, 9 codes of AU and IN lose their positions.
export const REFUTED = -1 // A rival with a lower score counts for nothing. With 0, FI and NO get 4 estimates more, all over 30 km off.

// Populations
export const OWN_TOWN_POPULATION_MIN = 1_000 // A town keeps its codes from a city around it.
export const POPULATION_MIN = 5_000 // Smaller cities have only the codes of their rows.
export const SECTION_POPULATION_MIN = 10_000 // People search for such sections: Hollywood, Kreuzberg.
export const CITY_POPULATION_MIN = 15_000 // A city has parts with numbers, and the codes in its circle.
export const NEAREST_POPULATION_MIN = 50_000 // A city without codes has the nearest one.
export const AREA_POPULATION_MIN = 1_000_000 // A city owns estimated positions in districts of its name.
export const REGIONS_POPULATION_MIN = 10_000_000 // A city has several regions of codes.

// Shares
export const STRAY_SHARE = 0.003 // Codes of a shape, or with an area that their digits contradict. Fewer are strays: `H0H 0H0` in Canada, 9999 for the North Pole in Victoria.
export const FEW_SHARE = 0.05 // Names of a level-2 area in a further one: fewer are namesakes. Codes whose nearest place has another zone than the map: with more, the gazetteer is out of date.
export const FURTHER_AREA_SHARE = 0.25 // Names and positions that make a further area of the gazetteer the same.
export const SAME_DIVISION_SHARE = 0.25 // Rows of an area that show that the rows divide the country as ISO does.
export const DOUBTFUL_SHARE = 0.25 // Rows in another level-2 area than their town: with more, the areas of the country's rows are doubtful.
export const ONLY_SHARE = 0.65 // Positions that the only label of a country needs to mean one area.
export const LEVEL_2_NAMES_SHARE = 0.7 // Unique names that tell which area a level-2 area is.
export const REACH_SHARE = 0.9 // Points within the reach of an area.
export const NEARLY_ALL_SHARE = 0.9 // Codes at a point that share an area, codes of an oblast that have its zone, numbers that must be the gazetteer's for it to name them, names in capitals of a source that writes no others.
export const SURE_SHARE = 0.95 // Known areas that neighbours by code must predict, and certain codes of an area that decide the zone of the others. With 0.9, CA S9V loses the time of Alberta.

// Numbers
export const ROUNDS = 2 // Rounds with evidence of other codes. Positions settled in one are evidence in the next.
export const AGREEING_MIN = 3 // Names, points, codes or places that must agree. Two may err together.
export const NEIGHBOURS = 4 // Neighbours that count, on each side of a code or around a place.
export const CROWD_MIN = 5 // Names that make a point nobody's own, and codes that make an area known.
export const DOMINANCE = 5 // A place this many times as large as its namesakes is meant by everybody.
export const ALIKE_CODES_MIN = 8 // Codes that begin alike and tell where another one lies. With 5, RU 684500 on Bering Island loses its position. With 16, 3 codes of PK and RU lie at a namesake.
export const LAST_SECTORS_MAX = 10 // Sectors of the last municipality of a region.
export const SMALL_AREA_CODES = 15 // Codes of a municipality. A larger area may have the name of a town at its edge: with 16, villages of Ilomantsi in FI get the position of the town.
export const STEPS_MAX = 16 // Codes looked at for neighbours, on each side. More at one point are a long run.

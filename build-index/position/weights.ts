/** Weights of candidates and of evidence about them, in scores. `thresholds.ts` has the distances. */
export const WEIGHTS = {
  /** Point of the code's own source. */
  source: 1,
  /** Point of the source that names share, an estimate, or a point of a weaker source. */
  weakSource: 0.75,
  /**
   * The only place of the code's name in its area. A place outside, or with the first words of the name, needs a second
   * witness.
   */
  onlyPlace: 1,
  /** One of several places of the name: the one that the name was joined with. Below `middle`, PH 3318 San Mateo moves 30 km off. */
  joinedPlace: 0.25,
  /** Another place of the name, or the town after which the level-2 area is called. */
  place: 0.1,
  /** A place of a further name of the code. */
  furtherPlace: -0.1,
  /** Main place of the code's municipality, or a point that many names share: the middle of a district. */
  municipality: 0.5,
  /** Middle of the neighbours by code, or of the area. */
  middle: 0.2,
  /** Main place of the level-1 area, or the crowd of a district that is too large for an answer. */
  region: 0.05,

  /** Neighbours by code lie around it; negative if far away. */
  neighbours: 1.5,
  /** Codes of the level-2 area lie around it; negative if far away. */
  area: 1.25,
  /** Surely in the level-2 area. */
  inLevel2: 1,
  /** In none of the areas, or beyond `REGION_KM` from codes that begin alike. */
  outside: -2,
  /** Another witness lies within `AGREED_KM`. */
  seconded: 1,
}

export type WeightName = keyof typeof WEIGHTS

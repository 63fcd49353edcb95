/** Abbreviations of the armed forces' post, whose codes lie anywhere in the world. */
export const MILITARY_STATES: ReadonlySet<string> = new Set(['AA', 'AE', 'AP'])

/** Names of USPS for the states that are none of the fifty, by their abbreviation. */
export const USPS_OTHER_STATES: Readonly<Record<string, string>> = {
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
  AS: 'American Samoa',
  FM: 'Federated States of Micronesia',
  GU: 'Guam',
  MH: 'Marshall Islands',
  MP: 'Northern Mariana Islands',
  PR: 'Puerto Rico',
  PW: 'Palau',
  VI: 'U.S. Virgin Islands',
}

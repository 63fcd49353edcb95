/** Countries whose codes a package has and that have been left out all the same, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  GR:
    '@rallisf1/greek-postal-code-db has 1,328 codes; among its sources are the search form of ELTA and the answers of a geocoder, ' +
    'neither of which allows copying',
}

/** Countries served by the post of another one. Codes are found under both: 00901 in PR and in US. */

/** Members by the country of the post, with their keys. */
const UNIONS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  AU: { CC: /^6799$/, CX: /^6798$/, NF: /^2899$/ },
  CH: { LI: /^94(8[5-9]|9[0-8])$/ },
  FI: { AX: /^22\d{3}$/ },
  FR: {
    BL: /^97133$/,
    GF: /^973\d\d$/,
    GP: /^971(?!33|50)\d\d$/,
    MC: /^980\d\d$/,
    MF: /^97150$/,
    MQ: /^972\d\d$/,
    NC: /^988\d\d$/,
    // 98799 is Clipperton, which belongs to France itself.
    PF: /^987(?!99)\d\d$/,
    PM: /^975\d\d$/,
    RE: /^974\d\d$/,
    WF: /^986\d\d$/,
    YT: /^976\d\d$/,
  },
  GB: { GG: /^GY\d/, IM: /^IM\d/, JE: /^JE\d/ },
  IT: { SM: /^4789\d$/, VA: /^00120$/ },
  NO: { SJ: /^(917\d|8099)$/ },
  US: {
    AS: /^96799$/,
    FM: /^9694[1-4]$/,
    GU: /^969(1\d|2\d|3[0-2])$/,
    MH: /^969[67]\d$/,
    MP: /^9695[0-2]$/,
    PR: /^00[679]\d\d$/,
    PW: /^969(39|40)$/,
    VI: /^008\d\d$/,
  },
}

/** Returns the countries that the post of `country` serves. */
export function membersOf(country: string): string[] {
  return Object.keys(UNIONS[country] ?? {})
}

/** Returns the country whose post serves `member`; undefined for most. */
export function parentOf(member: string): string | undefined {
  return Object.keys(UNIONS).find(parent => member in UNIONS[parent])
}

/** Returns the owner of `key`: a member of the union, or `parent`. */
export function ownerOf(parent: string, key: string): string {
  return membersOf(parent).find(member => UNIONS[parent][member].test(key)) ?? parent
}

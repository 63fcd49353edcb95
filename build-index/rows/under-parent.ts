import { CodeDraft, PlaceDraft } from './drafts.ts'
import { USPS_OTHER_STATES } from './us-states.ts'

/** `code` of `member` as it is answered under the country whose post it belongs to. */
export function underParent(code: CodeDraft, parent: string, member: string): CodeDraft {
  if (parent !== 'US') return code
  const state = USPS_OTHER_STATES[member]
  const copy = new CodeDraft(code.key, code.source)
  copy.setPosition(code.lat, code.lon, code.accuracy)
  copy.grade = code.grade
  copy.kind = code.kind
  copy.timezone = code.timezone
  copy.elevation = code.elevation
  // USPS takes the territory for a state, so what the territory calls its first level is the county.
  copy.places = code.places.map(({ name, admin, aliases }) => {
    const name2 = admin.name2 || (admin.name1 === state ? '' : admin.name1)
    const code2 = admin.name2 ? admin.code2 : admin.code1 === member ? '' : admin.code1
    return new PlaceDraft(name, { ...admin, name1: state, code1: member, name2, code2 }, aliases)
  })
  return copy
}

/** What can be done with a key, as a pill. */
import type { KeyView } from '../../accounts/views.ts'
import { isCapped } from '../layout/concerns.ts'

export function KeyState({ view }: { view: KeyView }) {
  if (view.revokedMs !== null) return <span class="tag">revoked</span>
  if (view.isExpired) return <span class="tag bad">expired</span>
  if (isCapped(view)) return <span class="tag bad">cap used up</span>
  return <span class="tag good">active</span>
}

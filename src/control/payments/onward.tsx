/** The way from a form of the dashboard to a page of Stripe. */
import { Gate } from '../layout/gate.tsx'

/** A page that continues by itself. A redirect after a form would need Stripe's host in `form-action` of the policy. */
export function Onward({ url }: { url: string }) {
  return (
    <Gate title="Stripe">
      <meta http-equiv="refresh" content={`0;url=${url}`} />
      <h1>Continue to Stripe</h1>
      <p>
        <a href={url}>Continue if the page does not open by itself</a>
      </p>
    </Gate>
  )
}

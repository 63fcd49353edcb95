/** The part of oidc-provider that the development sign-in uses; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Interaction {
    uid: string
    prompt: { name: string }
    params: Record<string, unknown>
    grantId?: string
    session?: { accountId: string }
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
    interactionDetails(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Interaction>
    interactionFinished(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>
    Grant: new (properties: {
      accountId: string
      clientId: string
    }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    on(event: string, listener: (...args: unknown[]) => void): this
  }
  export default Provider
}

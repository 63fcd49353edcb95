/** Types for the used part of oidc-provider, which has none of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
    interactionFinished(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      result: { login: { accountId: string } },
    ): Promise<void>
    Grant: new (properties: {
      accountId: string
      clientId: string
    }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
  }
}

/** Settings that hold secrets, or that would be wrong without those. */
const SECRETS = /^(?:ACCOUNTS|POSTRIE_API_KEY|POSTRIE_MCP_TOKEN|(?:OIDC|STRIPE|SMTP|LOW_BALANCE_WEBHOOK)_.*)$/

/**
 * The environment for a child process that needs no secret: the builder runs the code of dozens of data packages. A setting goes with
 * all that belong to it, since half of a sign-in or of a mail server is a wrong setting.
 */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.test(name)))
}

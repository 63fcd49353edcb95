/** Sends a server commands at a fixed rate: a credit, then a new key, for one account after the other. In a process of its own. */
import { Agent, request } from 'node:http'
import { answerParent } from '../child.ts'

const TICK_MS = 10

export interface Commands {
  socketFile: string
  /** Account n is `n@example.org`. */
  accounts: number
  perSecond: number
}

let ticking: NodeJS.Timeout | undefined
let sent = 0
let done = 0
let failed = ''

answerParent({
  start({ socketFile, accounts, perSecond }: Commands) {
    const agent = new Agent({ keepAlive: true, maxSockets: 32 })
    const startMs = performance.now()
    const first = sent
    ticking = setInterval(() => {
      const due = first + Math.floor(((performance.now() - startMs) / 1000) * perSecond)
      for (; sent < due; sent++) {
        const account = `${(sent >> 1) % accounts}@example.org`
        const [name, params] =
          sent % 2 === 0
            ? ['account.credit', { account, usd: '1', reference: `upkeep ${sent}` }]
            : ['key.create', { account, label: 'upkeep' }]
        const headers = { 'Content-Type': 'application/json' }
        request(
          { agent, socketPath: socketFile, path: `/operator/${name}`, method: 'POST', headers },
          answer => {
            if (answer.statusCode === 200) done++
            else failed = `${name} answered ${answer.statusCode}`
            answer.resume()
          },
        )
          .on('error', error => {
            failed = String(error)
          })
          .end(JSON.stringify(params))
      }
    }, TICK_MS)
  },
  /** How many commands have been carried out since the process began. */
  stop() {
    clearInterval(ticking)
    return { done, failed }
  },
})

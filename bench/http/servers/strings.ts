/** postrie's pipeline on the same server, index and ledger, with `JSON.parse`, strings and objects instead of bytes. */
import uws from 'uWebSockets.js'
import { Accounts } from '../../../src/accounts/accounts.ts'
import { isFramed } from '../../../src/http/framing.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import { IndexStore } from '../../stores/index-store.ts'
import { prepareLedger } from '../accounts.ts'
import { type FindPayer, PlainService } from '../plain-service.ts'
import { ENDPOINTS, PATHS, type Start } from '../setup.ts'
import { listen, readText } from './uws-listen.ts'

export const startStrings: Start = async ({ indexFile, port }) => {
  const { dir, apiKey } = await prepareLedger()
  const accounts = await Accounts.open({ dir })
  const service = new PlainService(new IndexStore(openIndex(indexFile)), ledgerPayers(accounts))
  const app = uws.App()
  for (const endpoint of ENDPOINTS) {
    app.post(PATHS[endpoint], (res, req) => {
      if (!isFramed(req)) return void res.close()
      res.onAborted(() => {})
      readText(res, text => {
        const { status, body } = service[endpoint](JSON.parse(text))
        if (status !== 200) res.writeStatus(String(status))
        res.writeHeader('Content-Type', 'application/json').end(JSON.stringify(body))
      })
    })
  }
  await listen(app, port)
  return { apiKey }
}

function ledgerPayers(accounts: Accounts): FindPayer {
  return apiKey => {
    const bytes = Buffer.from(apiKey)
    const key = accounts.authenticate(bytes, 0, bytes.length)
    if (key === undefined || accounts.admit(key, 1) > 0) return undefined
    return {
      charge: queries => accounts.charge(key, 0, queries),
      balanceMicros: () => key.account.availableMicros,
    }
  }
}

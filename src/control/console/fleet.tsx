/** The nodes of a fleet, as `postrie fleet status` shows them. */
import { nodeState } from '../../fleet/node-state.ts'
import type { FleetStatus } from '../../fleet/store.ts'
import { Fact, Section, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, money, plural } from '../layout/words.ts'

const SECOND_MS = 1000
/** Characters of a node's id and of a build that tell them apart for people. */
const SHORT = 8

/** @param status null: the database does not answer */
export function FleetSection({ status }: { status: FleetStatus | null }) {
  if (status === null)
    return (
      <Section title="Fleet">
        <p class="empty">The database does not answer. This node charges what it holds.</p>
      </Section>
    )
  return (
    <Section
      title="Fleet"
      hint="What a node holds of balances is charged there; what a silent node holds is in doubt until it reports."
    >
      {status.moved !== null && (
        <p>
          All accounts are in the ledger of the <code>DATA_DIR</code> in <code>{status.moved.folder}</code>{' '}
          since <Time ms={status.moved.timeMs} />. No node of this fleet starts any more.
        </p>
      )}
      <dl class="facts">
        <Fact name="Held by nodes">{money(status.leasedMicros)}</Fact>
        <Fact name="In doubt" hint="held by nodes that are silent">
          {money(status.inDoubtMicros)}
        </Fact>
        <Fact name="Changes">{count(status.sequence)}</Fact>
      </dl>
      <Table
        caption={plural(status.nodes.length, 'node')}
        heads={['Node', 'State', 'Address', '>Epoch', '>Silent', '>Behind', '>Held', 'Version', 'Index']}
      >
        {status.nodes.map(node => (
          <tr>
            <td>
              <code>{node.node.slice(0, SHORT)}</code>
            </td>
            <td>
              {nodeState(node)}
              {node.node === status.dashboard && ', dashboard'}
            </td>
            <td>{node.address}</td>
            <td class="number">{count(node.epoch)}</td>
            <td class="number">{count(Math.round(node.silentMs / SECOND_MS))} s</td>
            <td class="number">{count(node.lag)}</td>
            <td class="number">{fixedMoney(node.heldMicros)}</td>
            <td>{node.version}</td>
            <td>
              <code>{node.indexBuild.slice(0, SHORT)}</code>
            </td>
          </tr>
        ))}
      </Table>
      {status.writeOffs.length > 0 && (
        <Table caption="Given up, in the customers’ favour" heads={['When', 'Node', 'Account', '>Amount']}>
          {status.writeOffs.map(({ timeMs, node, account, micros }) => (
            <tr>
              <td>
                <Time ms={timeMs} />
              </td>
              <td>
                <code>{node.slice(0, SHORT)}</code>
              </td>
              <td>{account}</td>
              <td class="number">{fixedMoney(micros)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

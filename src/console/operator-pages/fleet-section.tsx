/** The nodes of a fleet, on the page of the service. */
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { Facts, Section, Table } from '../layout/parts.tsx'
import { sumOf } from '../reports/usage-series.ts'
import { aligned, count, money, nodeState, plural } from '../words.ts'

const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

const short = (id: string) => <code>{id.slice(0, 8)}</code>

export function FleetSection({ status }: { status: FleetStatus }) {
  const { nodes, writeOffs, dashboard, leasedMicros, inDoubtMicros } = status
  return (
    <Section
      title="Fleet"
      hint="Each node charges only the part of a balance that it holds. Nodes send a heartbeat every two seconds. A node is late after three missed heartbeats, and silent after 30 seconds. Money held by a silent node is in doubt until the node reports."
    >
      <Facts
        facts={[
          ['Held by nodes', money(leasedMicros)],
          ['In doubt', money(inDoubtMicros), 'held by silent nodes'],
        ]}
      />
      <Table
        caption={plural(nodes.length, 'node')}
        rows={nodes}
        columns={[
          {
            head: 'Node',
            under: 'version, index',
            cell: ({ node }) => short(node),
            below: ({ version, indexBuild }) => [version, ', ', short(indexBuild)],
          },
          {
            head: 'State',
            under: 'heard of',
            cell: node => <span class={TAGS[nodeState(node)] ?? 'tag'}>{nodeState(node)}</span>,
            below: ({ node, silentMs }) =>
              `${count(Math.round(silentMs / SECOND_MS))} s ago${node === dashboard ? ', dashboard' : ''}`,
          },
          { head: 'Address', cell: ({ address }) => address },
          { head: 'Behind', under: 'changes', kind: 'number', cell: ({ lag }) => count(lag) },
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => aligned(heldMicros) },
        ]}
      />
      <p class="hint">
        Written off, in the customers’ favour: {money(sumOf(writeOffs.map(({ micros }) => micros)))}.
      </p>
    </Section>
  )
}

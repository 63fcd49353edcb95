import { type FleetStatus, nodeState } from '../../fleet/store.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { Fact, Section, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, money, plural } from '../words.ts'

/** Classes of the states that somebody has to look at, and of the usual one. */
const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

function Short({ id }: { id: string }) {
  return <code>{id.slice(0, 8)}</code>
}

/** @param status null: the database does not answer */
export function FleetSection({ status }: { status: FleetStatus | null }) {
  if (status === null)
    return (
      <Section title="Fleet">
        <p class="empty">The database does not answer. This node charges what it holds.</p>
      </Section>
    )
  const { nodes, writeOffs, dashboard, leasedMicros, inDoubtMicros, sequence } = status
  return (
    <Section
      title="Fleet"
      hint="What a node holds of balances is charged there; what a silent node holds is in doubt until it reports."
    >
      <dl class="facts">
        <Fact name="Held by nodes">{money(leasedMicros)}</Fact>
        <Fact name="In doubt" hint="held by nodes that are silent">
          {money(inDoubtMicros)}
        </Fact>
        <Fact name="Changes">{count(sequence)}</Fact>
      </dl>
      <Table
        caption={plural(nodes.length, 'node')}
        rows={nodes}
        columns={[
          { head: 'Node', cell: ({ node }) => <Short id={node} /> },
          {
            head: 'State',
            cell: node => (
              <>
                <span class={TAGS[nodeState(node)] ?? 'tag'}>{nodeState(node)}</span>
                {node.node === dashboard && <span class="under">dashboard</span>}
              </>
            ),
          },
          { head: 'Address', cell: ({ address }) => address },
          { head: 'Epoch', kind: 'number', cell: ({ epoch }) => count(epoch) },
          {
            head: 'Silent',
            kind: 'number',
            cell: node => `${count(Math.round(node.silentMs / SECOND_MS))} s`,
          },
          { head: 'Behind', kind: 'number', cell: ({ lag }) => count(lag) },
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => fixedMoney(heldMicros) },
          { head: 'Version', cell: ({ version }) => version },
          { head: 'Index', cell: ({ indexBuild }) => <Short id={indexBuild} /> },
        ]}
      />
      {writeOffs.length > 0 && (
        <Table
          caption="Given up, in the customers’ favour"
          rows={writeOffs}
          columns={[
            { head: 'When', cell: ({ timeMs }) => <Time ms={timeMs} /> },
            { head: 'Node', cell: ({ node }) => <Short id={node} /> },
            { head: 'Account', cell: ({ account }) => account },
            { head: 'Amount', kind: 'number', cell: ({ micros }) => fixedMoney(micros) },
          ]}
        />
      )}
    </Section>
  )
}

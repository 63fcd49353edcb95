import t from 'tap'
import type { FleetStatus } from '../../src/billing/fleet/messages.ts'
import { FleetSection } from '../../src/console/operator-pages/console.tsx'

const NODE = {
  node: '5f9a785a-24f6-46ed-92cf-c843e81a925b',
  address: '10.0.0.1:8080',
  version: '2.0.0',
  indexBuild: 'b887c974ce094bf725b575c5894ab9c2',
  epoch: 3,
  isSettled: true,
  isWrittenOff: false,
  isGone: false,
  silentMs: 1400,
  isSilent: false,
  lag: 0,
  leases: 2,
  heldMicros: 5_600_000,
}
const STATUS: FleetStatus = {
  fleet: '9b1c3e0e-9a52-4d8e-8a55-5d3b8a4cf0a1',
  sequence: 1234,
  accounts: 5,
  keys: 9,
  leasedMicros: 6_000_000,
  dashboard: NODE.node,
  inDoubtMicros: 400_000,
  nodes: [NODE, { ...NODE, node: 'c0ffee00-24f6-46ed-92cf-c843e81a925b', isSilent: true, silentMs: 90_000 }],
  writeOffs: [{ node: NODE.node, epoch: 2, account: 'acct_7', micros: 2800, timeMs: 0 }],
}

const text = (status: FleetStatus) => String(FleetSection({ status }))

t.match(text(STATUS), /5f9a785a.*b887c974.*serving.*10\.0\.0\.1:8080.*c0ffee00.*silent/s, 'each node')
t.match(
  text({ ...STATUS, nodes: [{ ...NODE, silentMs: 23_000 }] }),
  /tag bad">late<.*23 s ago/s,
  'a node that missed three heartbeats is not serving',
)
t.match(text(STATUS), /In doubt.*\$0\.40/s, 'money of silent nodes')
t.match(text(STATUS), /Written off.*\$0\.0028/s, 'written-off money')

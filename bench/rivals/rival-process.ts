/** Runs a rival. argv[2] is its setup as JSON. With several `processes`, a primary of node:cluster starts them. */
import cluster from 'node:cluster'
import { RIVALS, type RivalSetup } from './servers.ts'

const { processes, ...setup } = JSON.parse(process.argv[2]) as RivalSetup & { processes: number }

if (processes === 1 || cluster.isWorker) await RIVALS[setup.name].start(setup)
else for (let i = 0; i < processes; i++) cluster.fork()

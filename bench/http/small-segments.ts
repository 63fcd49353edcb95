/**
 * Preloaded into a server whose ledger is to begin a new segment every few seconds, each with a snapshot, and not every few minutes.
 */
import { Ledger } from '../../src/ledger/ledger.ts'

const SEGMENT_BYTES_MAX = 4 * 1024 * 1024

const open = Ledger.open
Ledger.open = options => open.call(Ledger, { ...options, segmentBytesMax: SEGMENT_BYTES_MAX })

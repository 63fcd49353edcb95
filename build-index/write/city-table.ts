/** The HASH section: from a city's key to its places and aliases. */
import { EMPTY_SLOT, packSlot, slotOf } from '../../src/format/city-hash.ts'
import type { NameTable } from './name-table.ts'

/** Share of slots in use. Higher saves bytes; at 0.8 a probe for an absent name reads 13 slots on average, in one or two cache lines. */
const LOAD = 0.8

/**
 * Slots for `names`, in the order of their addition, so that equal input gives equal bytes.
 * @param placeCount number of places: aliases are numbered after them
 */
export function buildCityTable(names: NameTable, placeCount: number): Uint32Array {
  const slots = new Uint32Array(Math.max(8, Math.ceil(names.length / LOAD)))
  names.each((hash, index, alias) => {
    const entry = (alias ? placeCount : 0) + index
    let slot = slotOf(hash, slots.length)
    while (slots[slot] !== EMPTY_SLOT) slot = slot + 1 === slots.length ? 0 : slot + 1
    slots[slot] = packSlot(hash, entry)
  })
  return slots
}

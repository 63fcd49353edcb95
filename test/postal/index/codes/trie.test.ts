import fc from 'fast-check'
import t from 'tap'
import { TrieBuilder } from '../../../../build-index/write/trie-builder.ts'
import { codeSymbols, findCode } from '../../../../src/postal/index/codes/trie.ts'
import { SYMBOL_OF_BYTE, SYMBOLS } from '../../../../src/postal/text/code.ts'

/** Few characters make many prefixes. W to Z are the symbols 32 to 35, in other words of a node. */
const key = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0AVWZ'), minLength: 1, maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 1, maxLength: 10 }),
  fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 1, maxLength: 2 }),
)
/** Digits that fill pages of pairs, and keys that fit in no page. */
const number = fc.string({ unit: fc.constantFrom(...'01379'), minLength: 3, maxLength: 4 })
const keySet = fc.oneof(
  fc.uniqueArray(key, { minLength: 1, maxLength: 120 }),
  fc.uniqueArray(number, { minLength: 1, maxLength: 300 }),
  fc.uniqueArray(fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 3, maxLength: 3 }), {
    minLength: 200,
    maxLength: 400,
  }),
  fc.uniqueArray(fc.oneof({ weight: 20, arbitrary: number }, key), { minLength: 30, maxLength: 120 }),
)

const symbolsOf = (text: string) => Uint8Array.from(Buffer.from(text), byte => SYMBOL_OF_BYTE[byte])

interface BuiltTrie {
  nodes: Uint32Array
  root: number
  codes: Map<string, number>
}

/** A section has tries of several countries, as a file does. */
function build(countries: readonly (readonly string[])[]): BuiltTrie[] {
  const builder = new TrieBuilder()
  const added = countries.map(keys => {
    const sorted = [...keys].sort()
    const first = builder.codeCount
    return { root: builder.add(sorted), codes: new Map(sorted.map((text, i) => [text, first + i])) }
  })
  const bytes = builder.bytes()
  const nodes = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return added.map(country => ({ nodes, ...country }))
}

function find({ nodes, root }: BuiltTrie, text: string): number {
  // A key may not begin at the start, because a prefix is skipped.
  const symbols = Uint8Array.of(35, ...symbolsOf(text))
  return findCode(nodes, root, symbols, 1, text.length)
}

function keyOf({ nodes, root }: BuiltTrie, code: number): string {
  const out = new Uint8Array(10)
  return Array.from(out.subarray(0, codeSymbols(nodes, root, code, out)), symbol => SYMBOLS[symbol]).join('')
}

t.test('the trie finds every key and nothing else, and returns the key of a code', async () => {
  const input = fc.tuple(fc.array(keySet, { minLength: 1, maxLength: 3 }), fc.array(key, { maxLength: 40 }))
  fc.assert(
    fc.property(input, ([countries, others]) =>
      build(countries).every(trie => {
        const { codes } = trie
        const probes = [...others, ...countries.flat(), ...[...codes.keys()].map(text => text.slice(0, -1))]
        return (
          [...codes].every(([text, code]) => find(trie, text) === code && keyOf(trie, code) === text) &&
          probes.every(text => text === '' || find(trie, text) === (codes.get(text) ?? -1))
        )
      }),
    ),
    { numRuns: 500 },
  )
})

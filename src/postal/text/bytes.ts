/** Converts text and bytes also in browsers, which lack Node.js's Buffer. */

/** Up to this length, concatenation is faster than TextDecoder. */
const SHORT_BYTES_MAX = 48

// A byte order mark is a character of the text, as it is for Buffer.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes the UTF-8 of `bytes[start, end)`. A short ASCII text costs a third of Buffer's time. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_BYTES_MAX) return decoder.decode(bytes.subarray(start, end))
  let text = ''
  let at = start
  for (; at + 4 <= end; at += 4) {
    const a = bytes[at]
    const b = bytes[at + 1]
    const c = bytes[at + 2]
    const d = bytes[at + 3]
    if ((a | b | c | d) >= 0x80) return decoder.decode(bytes.subarray(start, end))
    text += String.fromCharCode(a, b, c, d)
  }
  for (; at < end; at++) {
    if (bytes[at] >= 0x80) return decoder.decode(bytes.subarray(start, end))
    text += String.fromCharCode(bytes[at])
  }
  return text
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Decodes a few bytes as Latin-1, for names and messages. */
export function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

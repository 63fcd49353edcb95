/** Katakana to Latin letters by modified Hepburn, as on Japanese road signs, with long `o` and `u` written once. */

const CELLS =
  `ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te
 ト to ナ na ニ ni ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu メ me モ mo ヤ ya ユ yu ヨ yo ラ ra リ ri
 ル ru レ re ロ ro ワ wa ヲ o ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo ダ da ヂ ji ヅ zu デ de ド do
 バ ba ビ bi ブ bu ベ be ボ bo パ pa ピ pi プ pu ペ pe ポ po`.split(/\s+/)
const SYLLABLES = new Map<string, string>()
for (let i = 0; i < CELLS.length; i += 2) SYLLABLES.set(CELLS[i], CELLS[i + 1])
const GLIDES = new Map([
  ['ャ', 'a'],
  ['ュ', 'u'],
  ['ョ', 'o'],
])

/** `ﾁﾖﾀﾞｸ` (half or full width) as `chiyodaku`; other signs than katakana are dropped. */
export function romanise(kana: string): string {
  let latin = ''
  let doubled = false
  for (const sign of kana.normalize('NFKC')) {
    const glide = GLIDES.get(sign)
    if (glide !== undefined) latin = withGlide(latin, glide)
    else if (sign !== 'ッ') {
      const syllable = SYLLABLES.get(sign) ?? ''
      latin += doubled ? (syllable.startsWith('ch') ? 't' : syllable.slice(0, 1)) + syllable : syllable
    }
    doubled = sign === 'ッ'
  }
  // A long u is only sure after a glide: yuu is yu, but matsu + ura keeps both.
  return latin.replace(/o[ou]/g, 'o').replace(/(?<=y|sh|ch|j)uu/g, 'u')
}

/** `ki` and small `ya` are `kya`; `shi` and small `ya` are `sha`. */
function withGlide(latin: string, vowel: string): string {
  const stem = latin.slice(0, -1)
  return /(sh|ch|j)$/.test(stem) ? stem + vowel : `${stem}y${vowel}`
}

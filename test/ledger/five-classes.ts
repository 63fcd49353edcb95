/**
 * The ledger of a killed process, written by the version before usage had more than five classes: segment of format 1,
 * snapshot of format 2, meter of format 2. The newest 6 queries of it are only in the meter.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** Brotli, base64. */
const FILES = {
  '0000000000000001.segment':
    'G4AEAI7TBTVh8ZRf/7/d570rVOyCaqkX+M2XVcbsPDOBq2S7wKpyfhkEgA9/Lt1b8UDSNtSRrS/Ds+3bHa4ULtJO8AsO8GxbahBE' +
    'g70k89bpnl1U6WQMFTIaBPnDHb2lxUfNu8f7HzX93sGtO40wzC726/zKarix9n73lWXqqzd7QKqoAnzY+3B1Zf5X1gXwBZBlocSG' +
    'J0xzG2elAOAOTFLjxtVVT2IusZk6h+Nh32Xjt5yT8VBmUjejCtBcieNlfTEZ863MUacciU+3Oj57ACAkMEltKK6xwjMdzD7wV74f' +
    'PAGZdOWFalqq3GGf3F6F9bVTuV8/zfriRDLmYwklj2q2LZNvAUACTF6HYHgi6i9/JLB4yfDc6Y8YVdpEKTItmC0CK3MZcMR68tky' +
    'R+zgXCrqpPfAGZfmCVuPdN4PTqribiPxx6jblF0T12n0sfFxwSKTQe+l4qmQpZxQMaFJX7w0PDu2N3a7ugUAMDCDeqBiTa7h6Qlh' +
    'nImEw2NuKlZhX8wvi2d8KRqB4ewqHQmJJoxaZ6XoieRDJnmKrAnrKzlfkQrlkgqZVQfLakWY7H0u+L8VFJhBg4q1uWklRUk8Z6Ez' +
    'chWRMldn57o8ntYLaIxJ5SZqKpWFQcrk0iSiE48Nq2b0Gp0/pE9pk3qRU1gMOMnqYiZ5t/ziUjcAYmB8o/50CLGmtu4x/nk8e+/V' +
    'owO/5gF4AyObvKSfHaL24dr9xo9uYWszk286fle1x9kFNfHNelp3emrN3HaZ86AmSYsbV1vh/3fhifk2e8nodMqfub/NcO1kyp8R' +
    '7WeeAG48yr8EdZevHVy4qf0onJioiWuN5TQmyda31lQB',
  '0000000000000008.snapshot':
    'G1cDAI7UWE3PvX6we31f2IIR8KXgh3XfjKZSU8ipGYvbgqnU1DljW8jgE5fj/42P708PgGNM3c1FUeeF2lNrUBhIwJG9qd1JtqR+' +
    'Rj12aa98YE2mUkouy5S8q8AbN9uzZ+b0dwY7j6h/by7PrFPBqDdHD/8AnVf1uz5/BepIDbrvIl/zhQM8wMAtCABfA9JqRtJvwFwK' +
    's7HKQV1SXhsWUNe+81TSynaw2MOqMZmHlcwux7m/Gwm6LmmOLS9jnf3f4sThlXz99yUbwM6/8rkH4yYTJyASXtqQPt882BQPb/nx' +
    'xNJKGvsv9oKRzHeV+PPhi43XL/qoO3FntYIHd78BZU2xOGFlO+SeXl0SlbmmfmM7TZtwsdZl0VmMBF1LGf947gtU4WAv4M5Z3X6t' +
    'TBnO+kc545klRyqR24oGrEn7gTUkTCEfu4dlIbsWcQdZdl3iakilUAcHBzkTOo3ayeKP+Ay5sIztG3aFsr3jAxQ78OIY+eEhflfx' +
    'kmP8Rl/BWqvh//O6f8PhehyeQDwliOBw9Cf4jQUcvHqG3x3bnz3GnX6BKjzH2+joEDfE9qPogJ21hLqCbpD8MVe0yZ7exGUV4uMN' +
    'aZXWfMbhT/l04ihyFVXnk64MiysW5JFxuTcnl6AImDEHDA+Wf4EqwoT1SkFGEEoaWGNiGbJcBlInB2NqTpMHhGIdS5fNcb0sdjKG' +
    '+FX8gV7ZmFqhcvvUUWVEzbNyMx4rciUTj2DnCAtI5wjDaumNWXMiBcNFgT3aD0AB6HuH7ncAgL7Fm6O4+dr9RXfYRcQaZu8dVIke' +
    'twZzxvY3lO1n5SGSKfTCtDDtCy07e89PXgM=',
  meter:
    'G/8z4J4FdmN1weKhC/SrxnoknAzxwHMs/2Ws2oqqqIIScAOu5AIsugnsDYdrmg0kmgYyuaMG1NJAEwikecChtSVcAoWq90VQVqk3' +
    'DuRFN5oH3mRaaIEFBoPzBQeiQWi3MdQvblv9Tj6z8ORxm/YgBnHQtDJw0rG0XPyD9wu1EEEQ+Y4BQKGnc4FGQJuFuDcXAJMlLw1r' +
    'wzx9VVi+/CfjmI8sTsiXwe3h8GSi9UKgo3kAALUUAfxn+/X22gGuPruGgErwmfWFdqYfWJD6+W9iiRbBDWA435yTicIyfzSIACAA',
}

/** The secret of its busiest key. */
export const OLD_SECRET = 'pk_live_mKu8sc3N8mRQklsGoiumZBCan0KYlh1Wpv4k'

/** Lays the files out in `dir`, a data folder. */
export function writeOldLedger(dir: string): void {
  mkdirSync(join(dir, 'ledger'))
  for (const [name, text] of Object.entries(FILES)) {
    writeFileSync(join(dir, 'ledger', name), brotliDecompressSync(Buffer.from(text, 'base64')))
  }
}

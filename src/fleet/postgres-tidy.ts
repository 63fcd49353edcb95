/** Old usage by the hour becomes usage by the day, and goes at last. Several nodes may do it at once: it is done once. */

import type { Database } from './database.ts'
import { FLEET_DAILY_DAYS, FLEET_HOURLY_DAYS, TIDY_SLOTS } from './limits.ts'

/** One day after another, in parts that each take well below a second. */
export async function tidyHours(database: Database): Promise<void> {
  for (;;) {
    const [due] = await database.query('select * from tidy_due($1)', [FLEET_HOURLY_DAYS])
    if (due === undefined) return
    const day = Number(due.day)
    for (let slot = 0; slot <= Number(due.slot_max); slot += TIDY_SLOTS) {
      await database.query('select tidy_part($1, $2, $3, $4)', [
        day,
        FLEET_DAILY_DAYS - FLEET_HOURLY_DAYS,
        slot,
        slot + TIDY_SLOTS - 1,
      ])
    }
    await database.query('select tidied($1)', [day])
  }
}

/** Bounds of the control plane alone: its connections, forms, sign-ins, payments, alerts and logs. Those of both planes are in `src/limits.ts`. */

/** Header bytes of one request to the control plane, and the time that it may take to arrive. */
export const CONTROL_HEADER_BYTES_MAX = 16 * 1024
export const CONTROL_REQUEST_MS_MAX = 30_000
/** Connections of the dashboard: few enough that the ledger and the API never lack a file descriptor because of it. */
export const CONTROL_CONNECTIONS_MAX = 256

/** Sign-ins whose answer has been used and must not be used again, while it could be. */
export const USED_SIGN_INS_MAX = 10_000
/** Sign-outs of one account that are remembered one by one; the next ends all its sessions. */
export const REVOKED_SESSIONS_PER_ACCOUNT_MAX = 1000
/** Notices and fresh keys that wait for the next page of their session, and how long they do. */
export const FLASHES_MAX = 10_000
export const FLASH_MS_MAX = 10 * 60_000
/** Forms whose answer is remembered, so that a second click on the same form repeats nothing, and for how long. */
export const FORMS_SENT_MAX = 10_000
export const FORM_REPEAT_MS_MAX = 2 * 60_000
/** Characters of a sealed text: what a browser keeps of a cookie. */
export const SEALED_LENGTH_MAX = 4000
/** Sealed texts whose values are kept, some hundred bytes each: a session is opened at each click of its person. */
export const OPENED_TEXTS_MAX = 1000
/** Characters of the address that a sign-in leads on to; a longer one leads to the overview. */
export const NEXT_PATH_LENGTH_MAX = 1024
/** How far the clock of a provider of sign-ins or payments may be ahead of ours. */
export const CLOCK_SKEW_SECONDS_MAX = 300

/** Bytes of a form of the dashboard, and of a message from a payment provider. */
export const FORM_BYTES_MAX = 16 * 1024
export const WEBHOOK_BYTES_MAX = 512 * 1024

/** Largest single recharge through the dashboard: $10,000, in whole micro-dollars. */
export const RECHARGE_MAX_MICROS = 10_000_000_000

/** Automatic recharges: how often marked accounts are checked, how many in one turn, and all of them at least. */
export const RECHARGE_TURN_MS = 500
export const RECHARGE_CHECKS_PER_TURN = 500
export const RECHARGE_SWEEP_MS = 60_000
/** Payments that are being asked for at the same moment. */
export const RECHARGES_IN_FLIGHT_MAX = 8
/** Milliseconds from an attempt whose outcome is not known to the next; the last one repeats. */
export const RECHARGE_RETRY_MS = [5000, 60_000, 600_000, 1_800_000] as const
/** Stripe keeps a key of idempotency for 24 hours. Asking again after that could charge twice, so it ends well before. */
export const RECHARGE_UNKNOWN_MS_MAX = 20 * 3_600_000
/** Largest sum of automatic recharges in a month that may be chosen: $100,000. */
export const RECHARGE_MONTH_MAX_MICROS = 100_000_000_000

/** Messages about low balances that are on their way to the operator's system. */
export const LOW_BALANCE_MESSAGES_MAX = 1000

/** How long a payer may stay at the provider and still be thanked on coming back: what Stripe keeps a payment page open for. */
export const PAYMENT_RETURN_MS_MAX = 86_400_000

/** Invitations that one person may have emailed in a UTC day, and people who are counted. */
export const INVITATION_EMAILS_PER_DAY_MAX = 20
export const INVITERS_MAX = 10_000

/** A test payment must be confirmed within this time. */
export const TEST_PAYMENT_MS_MAX = 10 * 60_000

/** Characters of an answer that the Try it page shows. */
export const TRY_ANSWER_CHARACTERS_MAX = 20_000

/** Accounts whose alerts are checked in one turn of the event loop, some 10 µs each, and the time between two turns. */
export const ALERT_CHECKS_PER_TURN = 80
export const ALERT_TURN_MS = 100
/** At most one message of a kind in this time; what happens meanwhile waits for the next. */
export const ALERT_GAP_MS = 3_600_000
/** The same for the messages with which an account tries its channels. */
export const ALERT_TEST_GAP_MS = 60_000
/** Milliseconds from each failed attempt at a message to the next; after the last it is given up. */
export const ALERT_RETRY_MS = [5000, 60_000, 600_000, 3_600_000] as const
/** Facts that one message lists; it counts the others. */
export const ALERT_FACTS_MAX = 20
/** Messages that wait or are on their way, over all accounts; a further one is dropped and logged. */
export const ALERTS_WAITING_MAX = 10_000
/** Messages that are being sent at the same moment. */
export const ALERTS_IN_FLIGHT_MAX = 16
/** Accounts whose latest deliveries are remembered for the page. */
export const ALERT_OUTCOMES_MAX = 10_000
/** Characters of the address that a customer wants messages sent to. */
export const WEBHOOK_URL_LENGTH_MAX = 1024
/** How long a browser is known to an account after it has signed in. */
export const KNOWN_BROWSER_MS_MAX = 90 * 86_400_000

/**
 * The audit log: bytes of a file, files that are kept, 64 MiB in all; bytes of a line, beyond which its details are left
 * out; entries that wait for the disk, beyond which they are counted and lost; entries on a page.
 */
export const AUDIT_FILE_BYTES_MAX = 4 * 1024 * 1024
export const AUDIT_FILES_MAX = 16
export const AUDIT_LINE_BYTES_MAX = 8 * 1024
export const AUDIT_WAITING_MAX = 10_000
export const AUDIT_ENTRIES_PER_PAGE = 50
/** Entries that the people of one account may cause in a UTC hour, beyond which they are left out; accounts that are counted before counting begins again. */
export const AUDIT_ENTRIES_PER_HOUR_MAX = 1000
export const AUDIT_ACCOUNTS_MAX = 100_000

/** False for the demo account's name, and for the label of an address that nobody has proved. */
export function isEmailAddress(email: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
}

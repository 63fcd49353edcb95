/** Functions that print the address of a sign-in, by the origin of their dashboard. */
export const entrances = new Map<string, (email: string) => Promise<string>>()

/** Returns the address that `postrie token --email <email>` prints. */
export async function entranceOf(origin: string, email = 'demo@localhost'): Promise<string> {
  const print = entrances.get(origin)
  if (print === undefined) throw new Error(`no dashboard of this test is at ${origin}`)
  return print(email)
}

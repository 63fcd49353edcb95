/** Runs every step in order, even if an earlier one fails. @throws the error of the first step that failed */
export async function closeAll(...steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

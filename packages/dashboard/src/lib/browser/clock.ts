/** Now in milliseconds since 1970: the one place where the dashboard reads the clock. */
export const now = (): number => Date.now();

/** Runs `task` once after `ms` milliseconds. @returns stops it */
export function after(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** Runs `task` every `ms` milliseconds. @returns stops it */
export function every(ms: number, task: () => void): () => void {
  const timer = setInterval(task, ms);
  return () => clearInterval(timer);
}

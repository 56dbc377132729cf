/** The current time in milliseconds since 1970. This is the only place where the dashboard reads the clock. */
export const now = (): number => Date.now();

/** Runs `task` once after `ms` milliseconds. @returns a function that cancels it */
export function after(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** Runs `task` every `ms` milliseconds. @returns a function that stops it */
export function every(ms: number, task: () => void): () => void {
  const timer = setInterval(task, ms);
  return () => clearInterval(timer);
}

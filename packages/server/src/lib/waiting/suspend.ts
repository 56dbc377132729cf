/**
 * Runs what a request waits for and this process does not work on, such as a processor's answer. Meanwhile the request
 * leaves its place among those that are worked on to others (`http/admission/admission.ts`); afterwards it has one again at once.
 */
export type Suspend = <T>(wait: () => Promise<T>) => Promise<T>;

/** For work that no request waits for: it holds no place that it could leave to others. */
export const holdsNoPlace: Suspend = (wait) => wait();

/**
 * Runs a wait during which this process does no work for the request, such as for a processor's answer. Meanwhile the request
 * does not count as worked on and leaves its place to others (`http/admission/admission.ts`); afterwards it counts again at once.
 */
export type Suspend = <T>(wait: () => Promise<T>) => Promise<T>;

/** For work without a waiting request, which holds no place that it could release. */
export const suspendNothing: Suspend = (wait) => wait();

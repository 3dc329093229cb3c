import type { Problem } from './schema';

/** What the server answered instead of what was asked for, or that it did not answer. */
export class CallError extends Error {
  override name = 'CallError';
  constructor(
    readonly problem: Problem,
    /** names the request in the server's log */
    readonly requestId: string | null,
  ) {
    super(problem.detail);
  }
  get status(): number {
    return this.problem.status;
  }
  get code(): string {
    return this.problem.code;
  }
}

export const isCallError = (error: unknown): error is CallError => error instanceof CallError;

/** No connection: nothing is known about whether the call was carried out. */
export const isUnreachable = (error: unknown): boolean => isCallError(error) && error.status === 0;

export function unreachable(detail: string): CallError {
  return new CallError({ type: 'urn:lade:error:unreachable', title: 'No connection', status: 0, code: 'unreachable', detail }, null);
}

export async function problemOf(response: Response): Promise<CallError> {
  const requestId = response.headers.get('X-Request-Id');
  const plain: Problem = {
    type: 'urn:lade:error:unknown',
    title: response.statusText || `Status ${response.status}`,
    status: response.status,
    code: 'unknown',
    detail: `The server answered with status ${response.status}.`,
  };
  try {
    const body = (await response.json()) as Partial<Problem>;
    return new CallError({ ...plain, ...body }, requestId);
  } catch {
    return new CallError(plain, requestId);
  }
}

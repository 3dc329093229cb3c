import { CallError, problemOf, unreachable } from './problem';
import { addresses, type Calls } from './schema';
import { learnServerTime } from './server_time';
import { sessionEnded } from './session';

export type CallName = keyof Calls;

type Part<Name extends string, Value> = [Value] extends [undefined] ? { [key in Name]?: undefined } : undefined extends Value ? { [key in Name]?: Value } : { [key in Name]: Value };

export type CallArguments<K extends CallName> = Part<'path', Calls[K]['path']> & {
  query?: Calls[K]['query'];
  body?: Calls[K]['body'];
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export interface Answer<T> {
  data: T;
  etag: string | null;
  status: number;
}

type Values = Record<string, string | number | boolean | undefined | null>;

/** The address of a call, as the server, a link or a stream of events needs it. */
export function addressOf<K extends CallName>(name: K, path?: Calls[K]['path'], query?: Calls[K]['query']): string {
  const values = (path ?? {}) as Values;
  const place = addresses[name][1].replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries((query ?? {}) as Values))
    if (value !== undefined && value !== null && value !== '') parameters.set(key, String(value));
  const text = parameters.toString();
  return text ? `${place}?${text}` : place;
}

function bodyOf(body: unknown): { body?: BodyInit; type?: string } {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (body instanceof Blob) return { body, type: 'application/octet-stream' };
  if (typeof body === 'string') return { body, type: 'application/yaml' };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/** Calls the server; throws a CallError. A session that has ended is told to the page, which asks to sign in again. */
export async function callWithHead<K extends CallName>(name: K, given: CallArguments<K>): Promise<Answer<Calls[K]['answer']>> {
  const [method] = addresses[name];
  const { body, type } = bodyOf(given.body ?? (method === 'POST' ? {} : undefined));
  const asked = Date.now();
  let response: Response;
  try {
    response = await fetch(addressOf(name, given.path as Calls[K]['path'], given.query), {
      method,
      body: body ?? null,
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...(type ? { 'Content-Type': type } : {}), ...given.headers },
      signal: given.signal ?? null,
    });
  } catch (error) {
    if (given.signal?.aborted) throw error;
    throw unreachable('The server does not answer.');
  }
  learnServerTime(response.headers.get('Date'), asked, Date.now());
  if (!response.ok) {
    const problem = await problemOf(response);
    if (problem.code === 'not_authenticated') sessionEnded();
    throw problem;
  }
  return { data: await readAnswer<Calls[K]['answer']>(response), etag: response.headers.get('ETag'), status: response.status };
}

async function readAnswer<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  const type = response.headers.get('Content-Type') ?? '';
  if (type.includes('json')) return (await response.json()) as T;
  return (await response.blob()) as T;
}

export async function call<K extends CallName>(name: K, given: CallArguments<K>): Promise<Calls[K]['answer']> {
  return (await callWithHead(name, given)).data;
}

export { CallError };

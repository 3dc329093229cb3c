import { addressOf } from '@/api/client';
import { CallError, unreachable } from '@/api/problem';
import type { File as StoredFile, Problem } from '@/api/schema';

export interface UploadProgress {
  sent: number;
  total: number;
  /** bytes a second over the last seconds; 0 while it is not known */
  rate: number;
}

/** Sends a file as it is and tells how far it is, four times a second. XMLHttpRequest, because fetch does not tell. */
export function uploadFile(file: File, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<StoredFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const rate = rateOf();
    let told = 0;
    request.open('POST', addressOf('files.create', undefined, { name: file.name }));
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.setRequestHeader('Accept', 'application/json');
    request.upload.onprogress = (event) => {
      const now = performance.now();
      const speed = rate(event.loaded, now);
      if (now - told < 250 && event.loaded < file.size) return;
      told = now;
      onProgress({ sent: event.loaded, total: file.size, rate: speed });
    };
    request.onerror = () => reject(unreachable('The upload was cut off.'));
    request.onload = () => {
      const requestId = request.getResponseHeader('X-Request-Id');
      if (request.status === 201) resolve(JSON.parse(request.responseText) as StoredFile);
      else reject(new CallError(problemIn(request), requestId));
    };
    signal.addEventListener('abort', () => {
      request.abort();
      reject(new DOMException('stopped', 'AbortError'));
    });
    request.send(file);
  });
}

function problemIn(request: XMLHttpRequest): Problem {
  const plain: Problem = { type: 'urn:lade:error:unknown', title: request.statusText, status: request.status, code: 'unknown', detail: `The server answered with status ${request.status}.` };
  try {
    return { ...plain, ...(JSON.parse(request.responseText) as Partial<Problem>) };
  } catch {
    return plain;
  }
}

const kWindow = 5_000;

/** Bytes a second over the last five seconds. */
export function rateOf(): (bytes: number, now: number) => number {
  const points: [number, number][] = [];
  return (bytes, now) => {
    points.push([now, bytes]);
    while (points.length > 2 && now - points[0]![0] > kWindow) points.shift();
    const [then, before] = points[0]!;
    return now > then ? ((bytes - before) / (now - then)) * 1000 : 0;
  };
}

import { useEffect, useRef, useState } from 'react';
import { isUnreachable } from '@/api/problem';
import type { File as StoredFile } from '@/api/schema';
import { uploadFile, type UploadProgress } from './upload';

const kWait = 4;

export type UploadState =
  | { is: 'idle' }
  | { is: 'sending'; file: File; progress: UploadProgress; again: boolean }
  | { is: 'waiting'; file: File; sent: number; seconds: number }
  | { is: 'failed'; file: File; error: unknown };

/** Sends one file at a time. A lost connection is tried again by itself; what the server refuses is not. */
export function useUpload(onStored: (file: StoredFile) => void) {
  const [state, setState] = useState<UploadState>({ is: 'idle' });
  const stop = useRef<AbortController | null>(null);
  const timer = useRef(0);
  const stored = useRef(onStored);
  stored.current = onStored;

  const start = (file: File, again = false) => {
    halt();
    const controller = new AbortController();
    stop.current = controller;
    let sent = 0;
    setState({ is: 'sending', file, progress: { sent: 0, total: file.size, rate: 0 }, again });
    uploadFile(
      file,
      (progress) => {
        sent = progress.sent;
        setState({ is: 'sending', file, progress, again });
      },
      controller.signal,
    ).then(
      (done) => {
        setState({ is: 'idle' });
        stored.current(done);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (isUnreachable(error)) wait(file, sent, kWait);
        else setState({ is: 'failed', file, error });
      },
    );
  };
  const wait = (file: File, sent: number, seconds: number) => {
    if (seconds === 0) return start(file, true);
    setState({ is: 'waiting', file, sent, seconds });
    timer.current = window.setTimeout(() => wait(file, sent, seconds - 1), 1000);
  };
  const halt = () => {
    stop.current?.abort();
    window.clearTimeout(timer.current);
  };
  useEffect(() => halt, []);
  return {
    state,
    start,
    stop: () => {
      halt();
      setState({ is: 'idle' });
    },
  };
}

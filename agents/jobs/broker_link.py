"""Carries messages between the program and workers on other machines, by Taskiq over Redis or RabbitMQ.

Every end has a queue of its own. A message may be lost (the broker was stopped, nobody listens) and is then missed by
the leases of `worker_pool`; nothing is stored for later, so a broker that comes back has nothing stale to hand out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from taskiq import AsyncBroker
from taskiq.acks import AcknowledgeType
from taskiq.kicker import AsyncKicker
from taskiq.receiver import Receiver

from stores.errors import InputError
from stores.task_ending import end_tasks

TASK_NAME: Final = "monitor.message"
SEND_SECONDS: Final = 5.0
"""How long a message may take to be handed over; then it is dropped."""
RETRY_SECONDS: Final = 1.0
"""Wait before a broker that could not be reached is tried again."""
MESSAGE_SECONDS: Final = 30
"""How long RabbitMQ keeps a message for a queue whose owner is away; Redis keeps none."""
CANCEL_SECONDS: Final = 0.2
MAX_AT_ONCE: Final = 100
"""Messages that are taken in side by side."""
MAX_WAITING: Final = 10_000
"""Messages that may wait to be sent; beyond it they are dropped."""

log = logging.getLogger("monitor.workers")

for _library in ("taskiq", "aio_pika", "aiormq"):  # what matters is logged here; they log every try
    logging.getLogger(_library).addHandler(logging.NullHandler())
    logging.getLogger(_library).propagate = False


class BrokerLink:
    """Receives what is sent to a queue, and sends to others; it connects again whenever the broker is back.

    `take` is called with each message, and must return at once.
    """

    def __init__(self, url: str, queue: str, take: Callable[[str], None]) -> None:
        """Raises InputError for an address of another kind."""
        self._url = url
        self._queue = queue
        self._take = take
        self._outbox: asyncio.Queue[tuple[str, str]] = asyncio.Queue(MAX_WAITING)
        self._senders: dict[str, AsyncBroker] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._logged_problem = ""
        _open_broker(url, queue)

    def start(self) -> None:
        """Begin to receive and to send; returns at once."""
        self._tasks = [
            asyncio.create_task(self._receive(), name="workers: messages in"),
            asyncio.create_task(self._send_waiting(), name="workers: messages out"),
        ]

    def send(self, queue: str, text: str) -> None:
        """Send a message as soon as may be. Returns at once; if the broker does not take it, it is lost."""
        if self._outbox.full():
            self._drop_waiting()
        self._outbox.put_nowait((queue, text))

    async def flush(self, seconds: float = SEND_SECONDS) -> None:
        """Wait until what is to be sent was sent, so long at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._outbox.join()

    async def close(self) -> None:
        await end_tasks(self._tasks, cancel_again_seconds=CANCEL_SECONDS)
        for queue in list(self._senders):
            await self._drop_sender(queue)

    async def _receive(self) -> None:
        while True:
            broker = _open_broker(self._url, self._queue)
            broker.is_worker_process = True

            async def take(text: str) -> None:
                self._take(text)

            broker.register_task(take, task_name=TASK_NAME)
            receiver = Receiver(
                broker,
                run_startup=True,
                ack_type=AcknowledgeType.WHEN_RECEIVED,
                max_async_tasks=MAX_AT_ONCE,
            )
            try:
                await receiver.listen(asyncio.Event())
            except Exception as error:  # noqa: BLE001 - whatever the broker's driver raises: tried again
                self._note_problem(error)
            finally:
                await _shut_down(broker)
            await asyncio.sleep(RETRY_SECONDS)

    async def _send_waiting(self) -> None:
        while True:
            queue, text = await self._outbox.get()
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await _kicker(await self._sender(queue)).kiq(text)
                self._logged_problem = ""
            except Exception as error:  # noqa: BLE001 - whatever the broker's driver raises: the message is lost
                self._note_problem(error)
                await self._drop_sender(queue)
                await asyncio.sleep(RETRY_SECONDS)
                self._drop_waiting()
            finally:
                self._outbox.task_done()

    def _drop_waiting(self) -> None:
        """Drop what waits to be sent: by now it is late, and what matters of it is sent again."""
        while not self._outbox.empty():
            self._outbox.get_nowait()
            self._outbox.task_done()

    async def _sender(self, queue: str) -> AsyncBroker:
        if queue not in self._senders:
            broker = _open_broker(self._url, queue)
            await broker.startup()
            self._senders[queue] = broker
        return self._senders[queue]

    async def _drop_sender(self, queue: str) -> None:
        if (broker := self._senders.pop(queue, None)) is not None:
            await _shut_down(broker)

    def _note_problem(self, error: Exception) -> None:
        problem = type(error).__name__
        if problem != self._logged_problem:
            self._logged_problem = problem
            log.warning("workers: the broker cannot be reached: %s: %s", problem, error)


def _kicker(broker: AsyncBroker) -> AsyncKicker[[str], None]:
    return AsyncKicker(TASK_NAME, broker, {})


def _open_broker(url: str, queue: str) -> AsyncBroker:
    """Return a broker that listens on the queue or sends to it. Nothing is connected yet."""
    match urlsplit(url).scheme:
        case "redis" | "rediss" | "unix":
            from taskiq_redis import PubSubBroker

            return PubSubBroker(url, queue_name=queue)
        case "amqp" | "amqps":
            return _open_rabbitmq(url, queue)
        case scheme:
            raise InputError(
                f"MONITOR_BROKER begins with {scheme or 'nothing'}:, and there is no such broker.",
                kept="No worker was asked anything.",
                todo="Name a Redis (redis://...) or a RabbitMQ (amqp://...).",
            )


def _open_rabbitmq(url: str, queue: str) -> AsyncBroker:
    from taskiq_aio_pika import AioPikaBroker, Exchange, Queue, QueueType

    # What is not fetched in time goes to an exchange that does not exist, and so nowhere.
    arguments: dict[str, Any] = {
        "x-message-ttl": MESSAGE_SECONDS * 1_000,
        "x-dead-letter-exchange": "monitor.nowhere",
    }
    own_queue = Queue(
        name=queue, type=QueueType.CLASSIC, durable=False, auto_delete=True, arguments=arguments
    )
    nowhere = Queue(name="monitor.unread", type=QueueType.CLASSIC, durable=False, auto_delete=True)
    exchange = Exchange(name="monitor", durable=False)
    return AioPikaBroker(
        url, exchange=exchange, task_queues=[own_queue], dead_letter_queue=nowhere, timeout=SEND_SECONDS
    )


async def _shut_down(broker: AsyncBroker) -> None:
    with suppress(Exception):  # it may be gone
        async with asyncio.timeout(SEND_SECONDS):
            await broker.shutdown()

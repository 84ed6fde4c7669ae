"""The password of one development run: easy to read and retype, hard to guess."""

import secrets

# About 128 each, so a word is 7 bits: two pairs and a number of four digits are 41 bits.
ADJECTIVES = (
    "able agile airy amber ample apt azure bold brave breezy bright brisk calm candid cheery civil clean clear clever cosy "
    "crisp curious dapper daring deep deft eager early easy elated epic equal fair famous fancy fast fine firm fleet fond frank "
    "free fresh frosty gentle giddy glad golden good grand great green handy happy hardy hazel hearty honest humble icy ideal jade "
    "jolly jovial joyful keen kind large leafy light lilac lively loyal lucid lucky lunar magic mellow merry mild mighty misty "
    "modest neat nimble noble novel olive open patient peachy plucky polite prime proud quick quiet rapid ready regal rosy royal "
    "ruby rustic sandy serene sharp silver sleek smart snowy snug solar steady sunny super sweet swift tidy true vivid warm wise "
    "witty young"
).split()
ANIMALS = (
    "adder albatross alpaca ant badger bat bear beaver bee beetle bison bobcat buffalo camel canary caribou cat cheetah cicada "
    "cobra condor coot cormorant coyote crab crane cricket crow deer dingo dolphin donkey dove dragonfly duck eagle egret elk emu "
    "ermine falcon ferret finch firefly flamingo fox frog gazelle gecko gibbon giraffe gnu goat goose gopher grouse gull hamster "
    "hare hawk hedgehog heron hippo horse hyena ibex ibis iguana impala jackal jaguar jay kestrel kiwi koala lark lemur leopard "
    "lion lizard llama lobster lynx macaw magpie manatee marmot marten meerkat mole moose moth mouse newt okapi orca osprey "
    "ostrich otter owl panda panther parrot pelican penguin pigeon puffin puma quail rabbit raven robin salmon seal shark sparrow "
    "squid stork swan tapir tiger toad toucan turtle walrus weasel whale wolf wombat wren yak zebra"
).split()


def one_run_password() -> str:
    """A new password such as `brisk-otter-calm-heron-4163`."""
    pairs = [secrets.choice(words) for words in (ADJECTIVES, ANIMALS, ADJECTIVES, ANIMALS)]
    return "-".join([*pairs, str(1000 + secrets.randbelow(9000))])
